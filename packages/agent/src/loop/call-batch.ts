import type { Tool, ToolCall } from '@kernel/protocol';
import { type CallClasses, classifyCalls } from '../approval/classify-calls.ts';

/** What is settled about the calls of a reply in the step that outputs them. */
export interface CallBatch extends CallClasses {
  /** Unique across all batches of all processes; with a call's id it makes the idempotency key. */
  readonly key: string;
}

/** Random numbers are expensive: one serves all batches of a process. */
const PROCESS_KEY = crypto.randomUUID();
let batches = 0;

/** Creates the batch of some calls from the tools that were on offer in their turn; `hasApproval` says whether there is anyone to ask. */
export function createCallBatch(calls: readonly ToolCall[], offered: readonly Tool[], hasApproval: boolean): CallBatch {
  batches += 1;
  return { ...classifyCalls(calls, offered, hasApproval), key: `${PROCESS_KEY}-${batches}` };
}
