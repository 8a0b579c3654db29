import { KernelError, toErrorResult, type ToolCall, type ToolResult } from '@kernel/protocol';
import { ignoreRejection } from '../ignore-rejection.ts';
import { canonicalInput } from './canonical-arguments.ts';
import { createCycles, PERIODS } from './cycles.ts';

/** What happens after how many repeats of the same calls with the same results. Cycles of one to eight calls, or of one to eight turns, count as repeats. */
export interface RepeatLimits {
  /** The result carries a note for the model. Default 3. */
  readonly warn?: number | undefined;
  /** The next such call is refused. Default 5. */
  readonly refuse?: number | undefined;
  /** The run ends with reason `loop`. Default 6. */
  readonly stop?: number | undefined;
  /** The names of argument fields, at any depth, that do not make two calls different: a nonce, or a time. Default: none. */
  readonly ignore?: readonly string[] | undefined;
  /**
   * Returns the part of a result that is compared, such as its text without a time or a counter. Default: the whole text, which is also used if this
   * throws or returns no text.
   */
  readonly normalizeResult?: ((text: string, call: ToolCall) => string) | undefined;
}

/** Detects that a run repeats itself. */
export interface LoopGuard {
  /** The result of a call that must not run again, or undefined if it may run. */
  refusal(call: ToolCall): ToolResult | undefined;
  /** Records the calls and results of a turn; returns notes for the model by call id. */
  record(results: readonly (readonly [ToolCall, { readonly forLLM: string }])[]): ReadonlyMap<string, string>;
  /** Whether the run must end. */
  isLooping(): boolean;
}

interface Entry {
  readonly call: ToolCall;
  /** The result as the model read it, normalized. */
  readonly text: string;
  /** What a tool reads in the arguments, in one spelling, once they were compared. */
  canonical?: string;
}

const NONE: ReadonlySet<string> = new Set();

/** Creates the guard of one run. A call is compared once with each of the last eight, whatever the limits are, and so is a turn of several calls. */
export function createLoopGuard({
  warn = 3,
  refuse = 5,
  stop = 6,
  ignore = [],
  normalizeResult,
}: RepeatLimits = {}): LoopGuard {
  const ignored = ignore.length === 0 ? NONE : new Set(ignore);
  let refused: Map<string, Entry> | undefined;
  const canonicalOf = (entry: Entry): string => (entry.canonical ??= canonicalInput(entry.call.arguments, ignored));
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
  const calls = createCycles(isSame);
  let hasSeveral = false;
  const turns = createCycles<readonly Entry[]>(
    (a, b) => a.length === b.length && a.every((entry, index) => isSame(entry, b[index] ?? entry)),
  );
  const mostRepeats = (): number => Math.max(calls.most(), turns.most());

  return {
    refusal(call) {
      if (mostRepeats() < refuse) return undefined;
      let entry: Entry | undefined;
      for (const period of PERIODS) {
        const expected = [
          ...(calls.repeats(period) < refuse ? [] : [calls.expected(period)]),
          ...(turns.repeats(period) < refuse ? [] : (turns.expected(period) ?? [])),
        ];
        for (const before of expected) {
          if (before === undefined) continue;
          entry ??= { call, text: '' };
          if (!isSameCall(before, entry)) continue;
          refused ??= new Map();
          refused.set(call.id, before);
          return refusalOf(call, refuse);
        }
      }
      return undefined;
    },
    record(results) {
      const notes = new Map<string, string>();
      const turn: Entry[] = [];
      const seen = new Map<string, { readonly first: Entry; calls?: Set<string> }>();
      /** The same call twice in one turn counts once. Calls are compared only where their results are equal. */
      const isNew = (entry: Entry): boolean => {
        const known = seen.get(entry.text);
        if (known === undefined) seen.set(entry.text, { first: entry });
        if (known === undefined) return true;
        known.calls ??= new Set([keyOf(known.first)]);
        const size = known.calls.size;
        return known.calls.add(keyOf(entry)).size > size;
      };
      const note = (id: string, repeats: number): void => {
        if (repeats < warn || refused?.has(id) === true) return;
        notes.set(
          id,
          `Note: the same calls have given the same results ${repeats} times. Try something else, or answer.`,
        );
      };
      for (const [call, { forLLM }] of results) {
        const entry = refused?.get(call.id) ?? { call, text: normalize(forLLM, call) };
        if (!isNew(entry)) continue;
        turn.push(entry);
        calls.add(entry);
        note(call.id, calls.most());
      }
      hasSeveral ||= turn.length > 1;
      // As long as each turn has one call, comparing turns would say what comparing calls does.
      if (turn.length > 0) turns.add(turn.length === 1 ? turn : turn.toSorted(byText), !hasSeveral);
      for (const { call } of turn) note(call.id, turns.most());
      return notes;
    },
    isLooping: () => calls.expected(1) !== undefined && mostRepeats() >= stop,
  };
}

/** An order in which two turns of the same calls are the same list, whatever order they were called in. */
function byText(a: Entry, b: Entry): number {
  if (a.call.name !== b.call.name) return a.call.name < b.call.name ? -1 : 1;
  if (a.text !== b.text) return a.text < b.text ? -1 : 1;
  return a.call.arguments < b.call.arguments ? -1 : 1;
}

function refusalOf(call: ToolCall, times: number): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not run: it gave the same result ${times} times.`, {
    hint: 'Try something else, or answer from what is known.',
  });
  return toErrorResult(error, 'skipped');
}
