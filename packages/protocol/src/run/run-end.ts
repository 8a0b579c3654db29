import type { KernelError } from '../error.ts';
import type { StopReason } from '../finish-reason.ts';
import type { Message, Usage } from '../message.ts';
import type { PendingCall } from '../pending.ts';

/** The end of a run: the last event, exactly once on every path. A union on `reason`. */
export type RunEnd<Output = unknown> =
  | RunDone<Output>
  | RunHandled<Output>
  | RunStopped<Output>
  | RunLimited<Output>
  | RunPending
  | RunFailed;

/** What every end of a run reports. */
export interface RunTotals {
  readonly type: 'run-end';
  /** How many model calls were made. */
  readonly turns: number;
  /** The whole history. Every call has exactly one result, except those that wait with reason `approval`. */
  readonly messages: readonly Message[];
  /** The tokens of all turns together. */
  readonly usage: Usage;
}

/** The model answered. */
export type RunDone<Output = unknown> = RunTotals & {
  readonly reason: 'done';
  /** The text of the answer; of a typed one, its JSON. */
  readonly answer: string;
} & (unknown extends Output
    ? {
        /** The typed answer, if the run was asked for one. */
        readonly output?: Output;
      }
    : TypedAnswer<Output>);

/** The typed answer of a run. */
export interface TypedAnswer<Output> {
  /** The answer as the schema of `run({ output })` makes it: validated, with its defaults and transforms. */
  readonly output: Output;
}

/** What there is of a typed answer where a run ended in another way than with one. */
export interface PartialOutput<Output> {
  /** The answer as the schema of `run({ output })` makes it, if its whole text is one that fits. */
  readonly output?: Output;
}

/** A hook ended the run with an answer. */
export interface RunHandled<Output = unknown> extends RunTotals, PartialOutput<Output> {
  readonly reason: 'handled';
  /** The text of the answer. */
  readonly answer: string;
}

/** The reply was cut by length or a filter, a loop was detected, or the caller aborted. */
export interface RunStopped<Output = unknown> extends RunTotals, PartialOutput<Output> {
  /** What stopped the run. */
  readonly reason: StopReason;
  /** The text so far, if there is any. */
  readonly answer?: string;
}

/** A limit was reached. */
export interface RunLimited<Output = unknown> extends RunTotals, PartialOutput<Output> {
  readonly reason: 'limit';
  /** The limit that was reached. */
  readonly limit: RunLimit;
  /** The text so far, or that of the closing turn. */
  readonly answer?: string;
}

/** Calls wait for a decision. A later run continues from `messages`, where the decisions that were made already are kept. */
export interface RunPending extends RunTotals {
  readonly reason: 'approval';
  /** The calls that need a decision, in order, also those of sub-agents. */
  readonly pending: readonly PendingCall[];
}

/** The provider failed, or a part of the loop did. */
export interface RunFailed extends RunTotals {
  readonly reason: 'error';
  /** What failed. */
  readonly error: KernelError;
}

/** The limit that ended a run. */
export type RunLimit = 'turns' | 'callsPerTool' | 'tokens' | 'cost' | 'time';
