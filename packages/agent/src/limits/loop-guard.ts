import { KernelError, toErrorResult, type ToolCall, type ToolResult } from '@kernel/protocol';
import { ignoreRejection } from '../ignore-rejection.ts';
import { canonicalArguments } from './canonical-arguments.ts';

/** How many repeats of the same calls with the same results have which effect. Cycles of one to eight calls count. */
export interface RepeatLimits {
  /** The result carries a note for the model. Default 3. */
  readonly warn?: number | undefined;
  /** The next such call is refused. Default 5. */
  readonly refuse?: number | undefined;
  /** The run ends with reason `loop`. Default 6. */
  readonly stop?: number | undefined;
  /** The names of argument fields, at any depth, that do not make two calls different: a nonce, or a time. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /** Returns what is compared of a result: its text without a clock or a counter. Default: all of it, also where this throws or returns no text. */
  readonly normalizeResult?: ((text: string, call: ToolCall) => string) | undefined;
}

/** Detects that a run repeats itself. */
export interface LoopGuard {
  /** The result of a call that must not run again, or undefined if it may run. */
  refusal(call: ToolCall): ToolResult | undefined;
  /** Records the calls and results of a turn; returns notes for the model by call id. */
  record(outcomes: readonly (readonly [ToolCall, { readonly forLLM: string }])[]): ReadonlyMap<string, string>;
  /** Whether the run must end. */
  isLooping(): boolean;
}

const MAX_CYCLE = 8;
const PERIODS = Array.from({ length: MAX_CYCLE }, (_, index) => index + 1);

interface Entry {
  readonly call: ToolCall;
  /** The result as the model read it, normalized. */
  readonly text: string;
  /** The arguments in one spelling, once they were compared. */
  canonical?: string;
}

/** Creates the guard of one run. A call is compared once with each of the last eight, whatever the limits are. */
export function createLoopGuard({
  warn = 3,
  refuse = 5,
  stop = 6,
  ignore = [],
  normalizeResult,
}: RepeatLimits = {}): LoopGuard {
  const ignored: ReadonlySet<string> = new Set(ignore);
  const entries: Entry[] = [];
  const refused = new Map<string, Entry>();
  /** By period, how many of the last entries equal the one that is a period before them. */
  const same = PERIODS.map(() => 0);

  const repeatsOf = (period: number): number => Math.floor((same[period - 1] ?? 0) / period) + 1;
  const mostRepeats = (): number => {
    let most = 0;
    for (const period of PERIODS) most = Math.max(most, repeatsOf(period));
    return most;
  };
  const canonicalOf = (entry: Entry): string => (entry.canonical ??= canonicalArguments(entry.call.arguments, ignored));
  const keyOf = (entry: Entry): string => `${entry.call.name} ${canonicalOf(entry)}`;
  const isSameCall = (a: Entry, b: Entry): boolean => {
    if (a.call.name !== b.call.name) return false;
    return a.call.arguments === b.call.arguments || canonicalOf(a) === canonicalOf(b);
  };
  /** Compares texts first: they are cheap to compare, and in a run that makes progress they differ. */
  const isSame = (a: Entry, b: Entry): boolean => a === b || (a.text === b.text && isSameCall(a, b));
  const normalize = (text: string, call: ToolCall): string => {
    if (normalizeResult === undefined) return text;
    try {
      const normalized: unknown = normalizeResult(text, call);
      if (typeof normalized === 'string') return normalized;
      ignoreRejection(normalized);
      return text;
    } catch {
      return text;
    }
  };
  const add = (entry: Entry): void => {
    for (const period of PERIODS) {
      const before = entries.at(-period);
      same[period - 1] = before !== undefined && isSame(before, entry) ? (same[period - 1] ?? 0) + 1 : 0;
    }
    entries.push(entry);
    if (entries.length > MAX_CYCLE) entries.shift();
  };

  return {
    refusal(call) {
      let entry: Entry | undefined;
      for (const period of PERIODS) {
        const expected = entries.at(-period);
        if (expected === undefined || repeatsOf(period) < refuse) continue;
        entry ??= { call, text: '' };
        if (!isSameCall(expected, entry)) continue;
        refused.set(call.id, expected);
        return refusalOf(call, refuse);
      }
      return undefined;
    },
    record(outcomes) {
      const notes = new Map<string, string>();
      const turn = new Map<string, { readonly first: Entry; calls?: Set<string> }>();
      /** The same call twice in one turn counts once. Calls are compared only where their results are equal. */
      const isNew = (entry: Entry): boolean => {
        const known = turn.get(entry.text);
        if (known === undefined) turn.set(entry.text, { first: entry });
        if (known === undefined) return true;
        known.calls ??= new Set([keyOf(known.first)]);
        const size = known.calls.size;
        return known.calls.add(keyOf(entry)).size > size;
      };
      for (const [call, { forLLM }] of outcomes) {
        const entry = refused.get(call.id) ?? { call, text: normalize(forLLM, call) };
        if (!isNew(entry)) continue;
        add(entry);
        const repeats = mostRepeats();
        if (repeats >= warn && !refused.has(call.id))
          notes.set(
            call.id,
            `Note: the same calls have given the same results ${repeats} times. Try something else, or answer.`,
          );
      }
      return notes;
    },
    isLooping: () => entries.length > 0 && mostRepeats() >= stop,
  };
}

function refusalOf(call: ToolCall, times: number): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not run: it gave the same result ${times} times.`, {
    hint: 'Try something else, or answer from what is known.',
  });
  return toErrorResult(error, 'skipped');
}
