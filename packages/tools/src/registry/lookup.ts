import { onAbort } from '@kernel/internal';
import { KernelError, type ToolResult, toErrorResult } from '@kernel/protocol';
import { adoptThenable } from '../call/adopt-thenable.ts';
import { cancelledResult, failedResult } from '../call/result.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { withTimeout } from '../with-timeout.ts';
import type { EntryStore } from './entries.ts';
import { unknownToolResult } from './name-errors.ts';

/** What a call of a name runs, or the result that says why nothing runs. Returns a promise only for a tool that requires capabilities. */
export type Lookup = (name: string) => LookupResult | Promise<LookupResult>;

/** A binding to run, or a result instead. */
export type LookupResult = ToolBinding | ToolResult;

/** Creates the lookup of a registry. Looking up a promoted tool renews its promotion. */
export function createLookup(store: EntryStore, capabilities: () => Capabilities, timeoutMs: number): Lookup {
  return (name) => {
    const entry = store.entries.get(name);
    if (entry === undefined || !entry.enabled || (entry.hidden && entry.promotion === undefined)) {
      return unknownToolResult(
        name,
        store.list().map((tool) => tool.name),
      );
    }
    if (entry.binding.tool.metadata?.optionality === 'conditional' && entry.condition !== true)
      return unavailableResult(name, 'its condition does not hold in this turn', []);
    if (entry.promotion !== undefined) entry.promotion.turnsLeft = entry.promotion.turns;
    return requireCapabilities(entry.binding, capabilities, timeoutMs);
  };
}

/** Returns the binding if no capability that it requires is missing, or the result that names the missing ones. */
export function requireCapabilities(
  binding: ToolBinding,
  capabilities: () => Capabilities,
  timeoutMs: number,
): LookupResult | Promise<LookupResult> {
  const { name, metadata } = binding.tool;
  if (metadata?.requires === undefined || metadata.requires.length === 0) return binding;
  const { requires } = metadata;
  const checked = adoptThenable(capabilities().missing(requires)).then((missing): LookupResult => {
    if (!Array.isArray(missing)) throw new TypeError('missing() did not resolve to a list');
    if (missing.length === 0) return binding;
    const names = missing.map(String);
    return unavailableResult(name, `this machine lacks ${names.map((each) => `"${each}"`).join(', ')}`, names);
  });
  const reason = 'whether this machine has what it requires could not be checked';
  return withTimeout(checked, timeoutMs, unavailableResult(name, reason, requires));
}

/** Resolves to what was found, or on abort to the result of a call that never started. */
export function orCancelled(found: Promise<LookupResult>, name: string, signal: AbortSignal): Promise<LookupResult> {
  return new Promise((resolve) => {
    const removeAbort = onAbort(signal, () => resolve(cancelledResult(name, 'never-started')));
    const end = (result: LookupResult): void => {
      removeAbort();
      resolve(result);
    };
    found.then(end, (error: unknown) => end(failedResult(error, name)));
  });
}

function unavailableResult(name: string, reason: string, missing: readonly string[]): ToolResult {
  const message = `"${name}" cannot be used now: ${reason}.`;
  return toErrorResult(new KernelError('TOOL_UNAVAILABLE', message, { data: { tool: name, missing: [...missing] } }));
}
