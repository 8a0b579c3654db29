import type { RunLimit, ToolCall, Usage } from '@kernel/protocol';
import type { RunLimits } from './run-limits.ts';

/** Compares what a run has used with its limits. Reads no time and sets no timer. */
export interface UsageMeter {
  /** The limit that forbids another model call, if there is one. */
  reachedLimit(turns: number, usage: Usage): RunLimit | undefined;
  /** Counts a call; returns false if its tool has used up its calls. */
  admitCall(call: ToolCall): boolean;
}

const DEFAULT_TURNS = 25;

/** Creates the meter of one run. */
export function createUsageMeter(limits: RunLimits): UsageMeter {
  const maxTurns = limits.turns ?? DEFAULT_TURNS;
  const calls = new Map<string, number>();
  let hasRefused = false;
  return {
    reachedLimit(turns, usage) {
      if (hasRefused) return 'callsPerTool';
      if (maxTurns > 0 && turns >= maxTurns) return 'turns';
      if (usage.inputTokens + usage.outputTokens >= (limits.tokens ?? Infinity)) return 'tokens';
      if (limits.cost !== undefined && limits.cost.of(usage) >= limits.cost.max) return 'cost';
      return undefined;
    },
    admitCall(call) {
      const count = (calls.get(call.name) ?? 0) + 1;
      calls.set(call.name, count);
      const isAdmitted = count <= (limits.callsPerTool ?? Infinity);
      hasRefused ||= !isAdmitted;
      return isAdmitted;
    },
  };
}
