import { errorMessage } from '@kernel/internal';
import { addUsage, KernelError, type Message, type RunLimit, type ToolCall, type Usage } from '@kernel/protocol';
import { estimateUsage } from './estimate-tokens.ts';
import type { RunLimits } from './run-limits.ts';

/** Compares what a run has used with its limits. Reads no time and sets no timer. */
export interface UsageMeter {
  /**
   * The limit that forbids another model call, if there is one. Throws `PROVIDER_PROTOCOL` if a sub-agent has used what no limit can count, and
   * `CONFIG_INVALID` for a cost that is negative or not a number.
   */
  reachedLimit(turns: number, usage: Usage): RunLimit | undefined;
  /**
   * Counts a reply for the limits of tokens and cost: what its provider has not reported counts for about what its messages hold. Throws
   * `PROVIDER_PROTOCOL` for a usage that is negative or not a number, since no limit holds for that. Does nothing without such a limit, of this run
   * or of a parent run.
   */
  countReply(reported: Usage | undefined, sent: readonly Message[], reply: Message): void;
  /** Counts what sub-agents have used: checks what was reported, and adds what was estimated. */
  countChildRuns(reported: Usage | undefined, estimated: Usage | undefined): void;
  /** Returns what replies without a reported usage count for; undefined without such replies. */
  estimated(): Usage | undefined;
  /** Whether a limit of tokens or cost holds for the run, its own or that of a parent run. */
  readonly hasBudget: boolean;
  /** Counts a call; returns false if its tool has used up its calls. */
  countCall(call: ToolCall): boolean;
}

const DEFAULT_TURNS = 25;

/** Creates the meter of one run. `parentHasBudget` says whether a parent run has a limit of tokens or cost. */
export function createUsageMeter(limits: RunLimits, parentHasBudget = false): UsageMeter {
  const maxTurns = limits.turns ?? DEFAULT_TURNS;
  /** How many calls each tool has had. Counted where that is limited. */
  let calls: Map<string, number> | undefined;
  const hasBudget = parentHasBudget || limits.tokens !== undefined || limits.cost !== undefined;
  let estimated: Usage | undefined;
  let childUsageError: KernelError | undefined;
  const addEstimate = (more: Usage | undefined): void => {
    if (more !== undefined) estimated = estimated === undefined ? more : addUsage(estimated, more);
  };
  let hasRefused = false;
  return {
    reachedLimit(turns, reported) {
      if (hasRefused) return 'callsPerTool';
      if (maxTurns > 0 && turns >= maxTurns) return 'turns';
      if (childUsageError !== undefined) throw childUsageError;
      const usage = estimated === undefined ? reported : addUsage(reported, estimated);
      if (usage.inputTokens + usage.outputTokens >= (limits.tokens ?? Infinity)) return 'tokens';
      if (limits.cost !== undefined && costOf(limits.cost, usage) >= limits.cost.max) return 'cost';
      return undefined;
    },
    countReply(reported, sent, reply) {
      if (!hasBudget) return;
      const error = usageError(reported);
      if (error !== undefined) throw error;
      addEstimate(estimateMissing(reported, sent, reply));
    },
    countChildRuns(reported, more) {
      if (!hasBudget) return;
      childUsageError ??= usageError(reported);
      addEstimate(more);
    },
    estimated: () => estimated,
    hasBudget,
    countCall(call) {
      if (limits.callsPerTool === undefined) return true;
      calls ??= new Map();
      const count = (calls.get(call.name) ?? 0) + 1;
      calls.set(call.name, count);
      const isWithinLimit = count <= limits.callsPerTool;
      hasRefused ||= !isWithinLimit;
      return isWithinLimit;
    },
  };
}

/** What a usage says, as numbers: a field that is absent or null is 0, since nothing was reported. An invalid value stays invalid. */
export function reportedUsage(usage: Usage): Usage {
  const given: { readonly [K in keyof Usage]: unknown } = usage;
  const { inputTokens, outputTokens } = given;
  if (typeof inputTokens === 'number' && typeof outputTokens === 'number') return usage;
  return { ...usage, inputTokens: toCount(inputTokens), outputTokens: toCount(outputTokens) };
}

/** A usage with an estimate of what was not reported. */
export function completeUsage(reported: Usage | undefined, sent: readonly Message[], reply: Message): Usage {
  const missing = estimateMissing(reported, sent, reply);
  if (reported === undefined || missing === undefined) return reported ?? missing ?? estimateUsage(sent, reply);
  return addUsage(reportedUsage(reported), missing);
}

function toCount(value: unknown): number {
  if (isAbsent(value)) return 0;
  return typeof value === 'number' ? value : Number.NaN;
}

/** The error for a usage from outside that no limit holds for. */
function usageError(usage: Usage | undefined): KernelError | undefined {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(usage ?? {});
  const invalid = fields.find(([, value]) => !isAbsent(value) && !(isNumber(value) && value >= 0));
  if (invalid === undefined) return undefined;
  const [name, value] = invalid;
  const shown = isNumber(value) ? String(value) : `a ${typeof value}`;
  return new KernelError('PROVIDER_PROTOCOL', `The provider reported a usage whose ${name} is ${shown}.`, {
    hint: 'A limit of tokens or cost needs a usage that is right; report it without the field, or leave out the limit.',
  });
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** The estimate of what a reply's provider has not reported. */
function estimateMissing(reported: Usage | undefined, sent: readonly Message[], reply: Message): Usage | undefined {
  const given: { readonly [K in keyof Usage]?: unknown } = reported ?? {};
  const lacksInput = isAbsent(given.inputTokens);
  const lacksOutput = isAbsent(given.outputTokens);
  if (!lacksInput && !lacksOutput) return undefined;
  const { inputTokens, outputTokens } = estimateUsage(sent, reply);
  return { inputTokens: lacksInput ? inputTokens : 0, outputTokens: lacksOutput ? outputTokens : 0 };
}

/** What a usage costs. Throws for what no limit can be compared with. */
function costOf(limit: NonNullable<RunLimits['cost']>, usage: Usage): number {
  let cost: unknown;
  try {
    cost = limit.of(usage);
  } catch (error) {
    const why = errorMessage(error);
    throw new KernelError('CONFIG_INVALID', `limits.cost.of() threw: ${why}`, { cause: error });
  }
  if (isNumber(cost) && cost >= 0) return cost;
  const shown = isNumber(cost) ? String(cost) : `a ${typeof cost}`;
  throw new KernelError('CONFIG_INVALID', `limits.cost.of() returned ${shown}.`, {
    hint: 'Return what the usage costs: a number from 0.',
  });
}
