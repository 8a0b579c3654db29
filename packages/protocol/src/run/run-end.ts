import type { KernelError } from '../error.ts';
import type { StopReason } from '../finish-reason.ts';
import type { Message, Usage } from '../message.ts';
import type { PendingCall } from '../pending.ts';

/** The end of a run, its last event. A union on `reason`, such as `Extract<RunEnd, { reason: 'done' }>`. */
export type RunEnd<Output = unknown> = {
  readonly type: 'run-end';
  /** How many model calls were made. */
  readonly turns: number;
  /** The whole history. Every call has exactly one result, except those that wait with reason `approval`. */
  readonly messages: readonly Message[];
  /** The tokens of all turns together. */
  readonly usage: Usage;
} & (
  | ({
      /** The model answered. */
      readonly reason: 'done';
      /** The text of the answer; of a typed one, its JSON. */
      readonly answer: string;
    } & (unknown extends Output
      ? {
          /** The typed answer, if the run was asked for one. */
          readonly output?: Output;
        }
      : {
          /** The answer as the schema of `run({ output })` makes it: validated, with its defaults and transforms. */
          readonly output: Output;
        }))
  | {
      /** A hook ended the run with an answer. */
      readonly reason: 'handled';
      /** The text of the answer. */
      readonly answer: string;
      /** The answer as the schema of `run({ output })` makes it, if its whole text is one that fits. */
      readonly output?: Output;
    }
  | {
      /** What stopped the run: the reply was cut by length or a filter, a loop was detected, or the caller aborted. */
      readonly reason: StopReason;
      /** The text so far, if there is any. */
      readonly answer?: string;
      /** The answer as the schema of `run({ output })` makes it, if its whole text is one that fits. */
      readonly output?: Output;
    }
  | {
      /** A limit was reached. */
      readonly reason: 'limit';
      /** The limit that was reached. */
      readonly limit: RunLimit;
      /** The text so far, or that of the closing turn. */
      readonly answer?: string;
      /** The answer as the schema of `run({ output })` makes it, if its whole text is one that fits. */
      readonly output?: Output;
    }
  | {
      /** Calls wait for a decision. A later run continues from `messages`, which keep the decisions made so far. */
      readonly reason: 'approval';
      /** The calls that need a decision, in order, also those of sub-agents. */
      readonly pending: readonly PendingCall[];
    }
  | {
      /** The provider failed, or a part of the loop did. */
      readonly reason: 'error';
      /** What failed. */
      readonly error: KernelError;
    }
);

/** The limit that ended a run. */
export type RunLimit = 'turns' | 'callsPerTool' | 'tokens' | 'cost' | 'time';
