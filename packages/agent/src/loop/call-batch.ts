import type { Tool, ToolCall } from '@kernel/protocol';
import { type CallClasses, classifyCalls } from '../approval/classify-calls.ts';

/** What is settled about the calls of a reply in the step that outputs them. */
export interface CallBatch extends CallClasses {
  /** With a call's id it makes the idempotency key: the id of the run or, without one, unique to the batch. */
  readonly key: string;
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
): CallBatch {
  return { ...classifyCalls(calls, offered, hasApproval), key: runId ?? crypto.randomUUID() };
}
