import type { Tool, ToolCall } from '@kernel/protocol';
import { argumentsDigest } from '../approval/call-digest.ts';
import { type CallClasses, classifyCalls } from '../approval/classify-calls.ts';

/** What is settled about the calls of a reply in the step that outputs them. */
export interface CallBatch extends CallClasses {
  /** With a call's id it makes the idempotency key: the id of the run or, without one, unique to the batch. */
  readonly key: string;
  /** Whether the calls belong to a run within a call, whose model is asked once more if the call is repeated after a crash. */
  readonly isNested?: boolean;
}

/**
 * The idempotency key of a call: the same for every attempt at it. In a run within a call it contains a digest of the tool's name and the
 * arguments: the model of a repeated run may ask for something else under the same id.
 */
export function idempotencyKeyOf({ key, isNested }: CallBatch, call: ToolCall): string {
  return isNested === true ? `${key}:${call.id}:${argumentsDigest(call)}` : `${key}:${call.id}`;
}

/**
 * Creates the batch of some calls from the tools that were on offer in their turn; `hasApproval` says whether there is anyone to ask. Only a
 * step may call this: without a `runId` the key is random, and a journal must be able to repeat it.
 */
export function createCallBatch(
  calls: readonly ToolCall[],
  offered: readonly Tool[],
  hasApproval: boolean,
  runId: string | undefined,
  isNested: boolean,
  isRestricted = false,
): CallBatch {
  const key = runId ?? crypto.randomUUID();
  return { ...classifyCalls(calls, offered, hasApproval, isRestricted), key, ...(isNested && { isNested }) };
}
