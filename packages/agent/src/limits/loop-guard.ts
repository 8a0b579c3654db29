import { KernelError, toErrorResult, type ToolCall, type ToolResult } from '@kernel/protocol';
import { canonicalArguments } from './canonical-arguments.ts';

/** How many repeats of the same calls with the same results have which effect. Cycles of one to three calls count. */
export interface RepeatLimits {
  /** The result carries a note for the model. Default 3. */
  readonly warn?: number | undefined;
  /** The next such call is refused. Default 5. */
  readonly refuse?: number | undefined;
  /** The run ends with reason `loop`. Default 6. */
  readonly stop?: number | undefined;
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

const MAX_CYCLE = 3;
const PERIODS = Array.from({ length: MAX_CYCLE }, (_, index) => index + 1);

interface Entry {
  readonly call: ToolCall;
  /** The result as the model read it. */
  readonly text: string;
}

/** Creates the guard of one run. */
export function createLoopGuard({ warn = 3, refuse = 5, stop = 6 }: RepeatLimits = {}): LoopGuard {
  const entries: Entry[] = [];
  const refused = new Map<string, Entry>();
  const maxEntries = MAX_CYCLE * (Math.max(warn, refuse, stop) + 1);

  /** How often the last `period` entries occur in a row at the end. */
  const repeatsOf = (period: number): number => {
    const { length } = entries;
    let same = 0;
    while (same + period < length && isSame(entries[length - 1 - same], entries[length - 1 - same - period])) same += 1;
    return length < period ? 0 : Math.floor(same / period) + 1;
  };
  const mostRepeats = (): number => Math.max(...PERIODS.map(repeatsOf));

  return {
    refusal(call) {
      for (const period of PERIODS) {
        const expected = entries.at(-period);
        if (expected === undefined || !isSameCall(expected.call, call) || repeatsOf(period) < refuse) continue;
        refused.set(call.id, expected);
        return refusalOf(call, refuse);
      }
      return undefined;
    },
    record(outcomes) {
      const notes = new Map<string, string>();
      const turn: Entry[] = [];
      for (const [call, { forLLM: text }] of outcomes) {
        const entry = refused.get(call.id) ?? { call, text };
        // The same call twice in one turn counts once.
        if (turn.some((other) => isSame(other, entry))) continue;
        turn.push(entry);
        entries.push(entry);
        if (entries.length > maxEntries) entries.shift();
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

/** Compares texts first: they are cheap to compare, and in a run that makes progress they differ. */
function isSame(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (a.text === b.text && isSameCall(a.call, b.call));
}

function isSameCall(a: ToolCall, b: ToolCall): boolean {
  if (a.name !== b.name) return false;
  return a.arguments === b.arguments || canonicalArguments(a.arguments) === canonicalArguments(b.arguments);
}

function refusalOf(call: ToolCall, times: number): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not run: it gave the same result ${times} times.`, {
    hint: 'Try something else, or answer from what is known.',
  });
  return toErrorResult(error, 'skipped');
}
