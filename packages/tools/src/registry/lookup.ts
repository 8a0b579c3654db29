import { onAbort } from '@kernel/internal';
import { type CallContext, KernelError, type Tool, type ToolResult, toErrorResult } from '@kernel/protocol';
import { adoptThenable } from '../call/adopt-thenable.ts';
import { cancelledBeforeStartResult, failedResult } from '../call/result.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Conditions, ConditionResults } from './conditions.ts';
import { type Entry, type EntryStore, isConditional } from './entries.ts';
import { unknownToolResult } from './name-errors.ts';

/**
 * What a call of a name runs, or the result that says why nothing runs. Returns a promise only for a tool that requires capabilities, or whose
 * condition was not evaluated in the turn of the call.
 */
export type Lookup = (
  name: string,
  context: Pick<CallContext, 'turn' | 'signal'>,
) => LookupResult | Promise<LookupResult>;

export type LookupResult = ToolBinding | ToolResult;

/** Creates the lookups of a registry: of the tools on offer, and of the hidden ones, too. */
export function createLookup(
  store: EntryStore,
  conditions: Conditions,
  capabilities: () => Capabilities,
  timeoutMs: number,
) {
  const find = ({ binding }: Entry, results: ConditionResults): LookupResult | Promise<LookupResult> => {
    if (binding.when !== undefined && isConditional(binding) && results.get(binding.when) !== true)
      return unavailableResult(binding.tool.name, 'its condition does not hold in this turn', []);
    return requireCapabilities(binding, capabilities, timeoutMs);
  };
  const lookup =
    (includesHidden: boolean): Lookup =>
    (name, context) => {
      const entry = store.entries.get(name);
      const isHidden = entry?.hidden === true && entry.promotion === undefined;
      if (entry === undefined || !entry.enabled || (isHidden && !includesHidden)) {
        return unknownToolResult(
          name,
          offeredTo(store, conditions, context).map((tool) => tool.name),
        );
      }
      const turn = conditions.turnOf(context);
      if (turn === undefined) return find(entry, store.conditionResults());
      const results = conditions.resultsOf(turn);
      const { when } = entry.binding;
      if (when === undefined || results.has(when) || !isConditional(entry.binding)) return find(entry, results);
      return conditions.evaluate(turn, [when]).then((evaluated) => find(entry, evaluated));
    };
  return {
    offered: lookup(false),
    any: lookup(true),
  };
}

/** The tools on offer in the turn of a call. */
export function offeredTo(
  store: EntryStore,
  conditions: Conditions,
  context: Pick<CallContext, 'turn' | 'signal'>,
): readonly Tool[] {
  const turn = conditions.turnOf(context);
  return turn === undefined ? store.list() : store.listFor(conditions.resultsOf(turn));
}

export function requireCapabilities(
  binding: ToolBinding,
  capabilities: () => Capabilities,
  timeoutMs: number,
): LookupResult | Promise<LookupResult> {
  const { name, metadata } = binding.tool;
  if (metadata?.requires === undefined || metadata.requires.length === 0) return binding;
  const { requires } = metadata;
  const checked = adoptThenable(capabilities().missing(requires)).then((missing): LookupResult => {
    if (!Array.isArray(missing)) throw new TypeError('missing() did not resolve to an array');
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
    const removeAbort = onAbort(signal, () => resolve(cancelledBeforeStartResult(name)));
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
