import { onAbort } from '@kernel/internal';
import { KernelError, type ToolResult, toErrorResult } from '@kernel/protocol';
import { cancelledResult } from '../call/result.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ToolBinding } from '../tool/binding.ts';
import type { EntryStore } from './entries.ts';
import { unknownToolResult } from './name-errors.ts';

/** What a call of a name runs, or the result that says why nothing runs. Returns a promise only for a tool that requires capabilities. */
export type Lookup = (name: string) => LookupResult | Promise<LookupResult>;

/** A binding to run, or a result instead. */
export type LookupResult = ToolBinding | ToolResult;

/** Creates the lookup of a registry. Looking up a promoted tool renews its promotion. */
export function createLookup(store: EntryStore, capabilities: () => Capabilities): Lookup {
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
    return requireCapabilities(entry.binding, capabilities);
  };
}

/** Returns the binding if no capability that it requires is missing, or the result that names the missing ones. */
export function requireCapabilities(
  binding: ToolBinding,
  capabilities: () => Capabilities,
): LookupResult | Promise<LookupResult> {
  const { name, metadata } = binding.tool;
  if (metadata?.requires === undefined || metadata.requires.length === 0) return binding;
  return capabilities()
    .missing(metadata.requires)
    .then((missing) => {
      if (missing.length === 0) return binding;
      const list = missing.map((capability) => `"${capability}"`).join(', ');
      return unavailableResult(name, `this machine lacks ${list}`, missing);
    });
}

/** Resolves to what was found, or on abort to the result of a call that never started. */
export function orCancelled(found: Promise<LookupResult>, name: string, signal: AbortSignal): Promise<LookupResult> {
  return new Promise((resolve) => {
    const removeAbort = onAbort(signal, () => resolve(cancelledResult(name, 'never-started')));
    void found.then((result) => {
      removeAbort();
      return resolve(result);
    });
  });
}

function unavailableResult(name: string, reason: string, missing: readonly string[]): ToolResult {
  const message = `"${name}" cannot be used now: ${reason}.`;
  return toErrorResult(new KernelError('TOOL_UNAVAILABLE', message, { data: { tool: name, missing: [...missing] } }));
}
