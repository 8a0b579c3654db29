import { addUsage, KernelError, type Message, type RunLimit, type ToolCall, type Usage } from '@kernel/protocol';
import { estimateUsage } from './estimate-tokens.ts';
import type { RunLimits } from './run-limits.ts';

/** Compares what a run has used with its limits. Reads no time and sets no timer. */
export interface UsageMeter {
  /** The limit that forbids another model call, if there is one. */
  reachedLimit(turns: number, usage: Usage): RunLimit | undefined;
  /**
   * Counts a reply for the limits of tokens and cost: without a reported usage it counts for about what its messages hold. Throws
   * `PROVIDER_PROTOCOL` for a usage that is negative or not a number, since no limit holds for that. Does nothing without such a limit.
   */
  countReply(reported: Usage | undefined, sent: readonly Message[], reply: Message): void;
  /** Counts a call; returns false if its tool has used up its calls. */
  admitCall(call: ToolCall): boolean;
}

const DEFAULT_TURNS = 25;

/** Creates the meter of one run. */
export function createUsageMeter(limits: RunLimits): UsageMeter {
  const maxTurns = limits.turns ?? DEFAULT_TURNS;
  const calls = new Map<string, number>();
  const hasBudget = limits.tokens !== undefined || limits.cost !== undefined;
  let estimated: Usage = { inputTokens: 0, outputTokens: 0 };
  let hasRefused = false;
  return {
    reachedLimit(turns, reported) {
      if (hasRefused) return 'callsPerTool';
      if (maxTurns > 0 && turns >= maxTurns) return 'turns';
      const usage = addUsage(reported, estimated);
      if (usage.inputTokens + usage.outputTokens >= (limits.tokens ?? Infinity)) return 'tokens';
      // A cost that is not a number is not below the maximum either.
      if (limits.cost !== undefined && !(limits.cost.of(usage) < limits.cost.max)) return 'cost';
      return undefined;
    },
    countReply(reported, sent, reply) {
      if (!hasBudget) return;
      if (reported === undefined) {
        estimated = addUsage(estimated, estimateUsage(sent, reply));
        return;
      }
      for (const [name, value] of Object.entries(reported))
        if (typeof value === 'number' && !(value >= 0))
          throw new KernelError('PROVIDER_PROTOCOL', `The provider reported a usage whose ${name} is ${value}.`, {
            hint: 'A limit of tokens or cost needs a usage that is right; report it without the field, or leave out the limit.',
          });
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
