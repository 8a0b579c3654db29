import type { RepeatLimits } from './loop-guard.ts';
import { KernelError, type RunLimit, type ToolCall, type Usage } from '@kernel/protocol';

/** What a run may use up. An absent limit is off, but for `turns`. */
export interface RunLimits {
  /** Model calls. Default 25; 0 means none. */
  readonly turns?: number | undefined;
  /** Calls of any one tool. A call beyond it is skipped with a result that says so. */
  readonly callsPerTool?: number | undefined;
  /** Input and output tokens of all turns together. */
  readonly tokens?: number | undefined;
  /** Money: the run ends when `of(usage)` of all turns together reaches `max`. The currency is the caller's. */
  readonly cost?: { readonly max: number; of(usage: Usage): number } | undefined;
  /** Wall time of the whole run in milliseconds. */
  readonly timeMs?: number | undefined;
  /** Repeats of the same calls with the same results; false switches the guard off. */
  readonly repeats?: RepeatLimits | false | undefined;
  /** Calls that run at once. Default: all of a turn. */
  readonly parallel?: number | undefined;
  /**
   * What follows a reached limit: `stop` ends the run with reason `limit` (default), `throw` throws `LIMIT_REACHED` after the
   * `run-end`, `answer` asks once more, without tools, for an answer from what is known.
   */
  readonly onLimit?: 'stop' | 'throw' | 'answer' | undefined;
}

const DEFAULT_TURNS = 25;

/** Throws `CONFIG_INVALID` for a limit that is no sensible number. */
export function checkLimits(limits: RunLimits): void {
  for (const name of ['turns', 'callsPerTool', 'tokens', 'timeMs', 'parallel'] as const) {
    const value = limits[name];
    if (value === undefined || (value >= (name === 'turns' ? 0 : 1) && (Number.isInteger(value) || value === Infinity)))
      continue;
    throw new KernelError('CONFIG_INVALID', `limits.${name} is ${value}.`, {
      hint:
        name === 'turns' ? 'Give a whole number, or 0 for no limit.' : 'Give a whole number from 1, or leave it out.',
    });
  }
}

/** Counts what a run uses. Plain counting: no clock, no timer. */
export interface Meter {
  /** The limit that forbids another model call, if any. */
  reached(turns: number, usage: Usage): RunLimit | undefined;
  /** Counts a call; false when its tool has used up its calls. */
  admit(call: ToolCall): boolean;
}

/** Makes the meter of one run. */
export function createMeter(limits: RunLimits): Meter {
  const turns = limits.turns ?? DEFAULT_TURNS;
  const calls = new Map<string, number>();
  let overCalled = false;
  return {
    reached(turn, usage) {
      if (overCalled) return 'callsPerTool';
      if (turns > 0 && turn >= turns) return 'turns';
      if (usage.inputTokens + usage.outputTokens >= (limits.tokens ?? Infinity)) return 'tokens';
      if (limits.cost !== undefined && limits.cost.of(usage) >= limits.cost.max) return 'cost';
      return undefined;
    },
    admit(call) {
      const count = (calls.get(call.name) ?? 0) + 1;
      calls.set(call.name, count);
      const admitted = count <= (limits.callsPerTool ?? Infinity);
      overCalled ||= !admitted;
      return admitted;
    },
  };
}
