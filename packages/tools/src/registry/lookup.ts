import { onAbort } from '@kernel/internal';
import { type CallContext, KernelError, type Tool, type ToolResult, toErrorResult } from '@kernel/protocol';
import { adoptThenable } from '../call/adopt-thenable.ts';
import { cancelledBeforeStartResult, failedResult } from '../call/result.ts';
import type { Capabilities } from '../capabilities.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { withTimeout } from '../with-timeout.ts';
import type { Conditions, ConditionResults } from './conditions.ts';
import { type EntryStore, isConditional } from './entries.ts';
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
      const { binding } = entry;
      const { when } = binding;
      if (when === undefined || !isConditional(binding)) return requireCapabilities(binding, capabilities, timeoutMs);
      const decide = (results: ConditionResults): LookupResult | Promise<LookupResult> =>
        results.get(when) === true
          ? requireCapabilities(binding, capabilities, timeoutMs)
          : unavailableResult(name, 'its condition does not hold in this turn', []);
      const turn = conditions.turnOf(context);
      if (turn === undefined) return decide(store.conditionResults());
      const results = conditions.resultsOf(turn);
      return results.has(when) ? decide(results) : conditions.evaluate(turn, [when]).then(decide);
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
  const requires = binding.tool.metadata?.requires;
  return requires === undefined || requires.length === 0
    ? binding
    : checkCapabilities(binding, requires, capabilities, timeoutMs);
}

function checkCapabilities(
  binding: ToolBinding,
  requires: readonly string[],
  capabilities: () => Capabilities,
  timeoutMs: number,
): Promise<LookupResult> {
  const { name } = binding.tool;
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
