import { hasInnerSteps, type Tool, type ToolCall, type ToolEffect } from '@kernel/protocol';
import { argumentsDigest } from '../approval/call-digest.ts';
import { type CallClasses, classifyCalls } from '../approval/classify-calls.ts';

/** What is settled about the calls of a reply in the step that outputs them. */
export interface CallBatch extends CallClasses {
  /** With a call's id it makes the idempotency key: the id of the run or, without one, unique to the batch. */
  readonly key: string;
  /** Whether the calls belong to a run within a call, whose model is asked once more if the call is repeated after a crash. */
  readonly isNested?: boolean;
  /** By call id, what the calls may change. For executors that record steps: today's tools may be others than those of the day the calls were made. */
  readonly effects?: Readonly<Record<string, ToolEffect>>;
  /** The calls that are runs of agents. */
  readonly agents?: readonly string[];
  /** Of calls that an earlier run left pending: how many messages from the user had come in before they go on. */
  readonly waiting?: number;
}

/** What the batches of a run have in common. */
export interface CallBatchOptions {
  /** Whether there is anyone to ask. */
  readonly hasApproval: boolean;
  /** The id of the run. */
  readonly runId: string | undefined;
  /** Whether the run is within a call. */
  readonly isNested: boolean;
  /** Whether an executor may record the steps of the run. */
  readonly isRecorded: boolean;
}

/**
 * The idempotency key of a call: the same for every attempt at it. In a run within a call it contains a digest of the tool's name and the
 * arguments: the model of a repeated run may ask for something else under the same id.
 */
export function idempotencyKeyOf({ key, isNested }: CallBatch, call: ToolCall): string {
  return isNested === true ? `${key}:${call.id}:${argumentsDigest(call)}` : `${key}:${call.id}`;
}

/** What is known of a call before anyone has decided on it. */
export function plainCall(
  batch: CallBatch,
  call: ToolCall,
): {
  readonly call: ToolCall;
  readonly idempotencyKey: string;
  readonly effect?: ToolEffect | undefined;
  readonly hasInnerSteps?: boolean;
} {
  const idempotencyKey = idempotencyKeyOf(batch, call);
  if (batch.effects === undefined) return { call, idempotencyKey };
  const effect = batch.effects[call.id];
  return { call, idempotencyKey, effect, ...(batch.agents?.includes(call.id) === true && { hasInnerSteps: true }) };
}

/**
 * Creates the batch of some calls from the tools that were on offer in their turn. Only a step may call this: without a `runId` the key is random,
 * and a journal must be able to repeat it.
 */
export function createCallBatch(
  calls: readonly ToolCall[],
  offered: readonly Tool[],
  { hasApproval, runId, isNested, isRecorded }: CallBatchOptions,
  isRestricted = false,
): CallBatch {
  const key = runId ?? crypto.randomUUID();
  const classes = classifyCalls(calls, offered, hasApproval, isRestricted);
  return { ...classes, key, ...(isNested && { isNested }), ...(isRecorded && effectsOf(calls, offered)) };
}

function effectsOf(calls: readonly ToolCall[], offered: readonly Tool[]): Pick<CallBatch, 'effects' | 'agents'> {
  const effects: [string, ToolEffect][] = [];
  const agents: string[] = [];
  for (const { id, name } of calls) {
    const tool = offered.find((each) => each.name === name);
    effects.push([id, tool?.effect ?? 'external']);
    if (tool !== undefined && hasInnerSteps(tool)) agents.push(id);
  }
  return { effects: Object.fromEntries(effects), ...(agents.length > 0 && { agents }) };
}
