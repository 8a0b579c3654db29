import type { AgentEvent } from '../event.ts';
import type { JsonValue } from '../json.ts';
import type { Message, UserMessage } from '../message.ts';
import type { PendingCall } from '../pending.ts';
import type { ApprovalDecision, Approve } from './approve.ts';
import type { RunEnd } from './run-end.ts';
import type { Steering } from './steering.ts';
import type { StepExecutor } from './step.ts';

/** What an engine passes to an agent's `run`. Spread it into `run` or `runTeam` of `@kernel/agent`: `run({ provider, model, tools, ...context })`. */
export interface DurableContext {
  /** The messages the run was started with. */
  readonly messages: readonly Message[];
  /** The id of the run. The idempotency keys of its calls derive from it. */
  readonly runId: string;
  /** Aborts when the run is cancelled or its worker has to give it up. */
  readonly signal: AbortSignal;
  /** Decides on calls: with the decision made from outside, if there is one, otherwise with the agent's `approve`. Absent if the agent has none. */
  readonly approve: Approve | undefined;
  /** Delivers what `steer` and `stop` sent, from any process. */
  readonly steering: Steering;
  /** Records the steps. */
  readonly steps: StepExecutor;
}

/** An agent whose runs are recorded, as a worker runs it. */
export interface DurableAgent {
  /** Change it whenever an existing run could take a different course: with a new prompt, other tools or another model. Default `1`. */
  readonly version?: string | undefined;
  /** Earlier versions whose runs this one can continue. */
  readonly accepts?: readonly string[] | undefined;
  /** Starts the run. `input` is the `input` passed to `start`. */
  readonly run: (context: DurableContext, input: JsonValue | undefined) => AsyncIterable<AgentEvent>;
  /** Decides on calls that have no decision from outside yet; `later` makes them wait for one. Without it, every call runs. */
  readonly approve?: Approve | undefined;
  /** How long a call may wait for a decision before it is denied, in milliseconds. Default: no limit. */
  readonly approvalTimeoutMs?: number | undefined;
  /** How many times a process may die while executing a run before the engine gives up on it. The engine defines what that means, and the default. */
  readonly maxAttempts?: number | undefined;
  /** The maximum size of a step's output as JSON, in bytes. A larger call result is replaced by an error. Default `MAX_STEP_BYTES`, 4 MiB. */
  readonly maxResultBytes?: number | undefined;
  /**
   * What happens to a call that was in flight when its process died: with `tell`, the model reads `OUTCOME_UNKNOWN`; with `ask`, the call waits for
   * `resolveOutcome`. Default `tell`.
   */
  readonly onUnknown?: 'tell' | 'ask' | undefined;
}

/**
 * The status of a run: `queued` for a worker, `running`, `waiting` for a decision, `blocked` because the code has changed since it was recorded, or one of the
 * final ones: `done`, `failed` and `cancelled`.
 */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'blocked' | 'done' | 'failed' | 'cancelled';

/** Every status. */
export const RUN_STATUSES: readonly RunStatus[] = [
  'queued',
  'running',
  'waiting',
  'blocked',
  'done',
  'failed',
  'cancelled',
];

/** A recorded run, as `status` and `list` return it. */
export interface RecordedRun {
  /** Its id. */
  readonly id: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The version of the agent that it runs on. */
  readonly version: string;
  /** Its status. */
  readonly status: RunStatus;
  /** How it ended; absent until then. The error of a failed run is JSON for `KernelError.fromJSON`. */
  readonly result?: RunResultJson;
  /** When it was started. */
  readonly createdAt: Date;
  /** When its status last changed. */
  readonly updatedAt: Date;
  /** How many crashes of its process count against it; absent where the engine does not count them. */
  readonly crashes?: number;
}

/** The end of a run as JSON. */
export interface RunResultJson {
  /** As in `RunEnd`; also `error` for a run that is blocked or was given up on. */
  readonly reason: RunEnd['reason'];
  /** The answer, or the text up to the end. */
  readonly answer?: string;
  /** The typed answer. */
  readonly output?: JsonValue;
  /** The error, as JSON. */
  readonly error?: JsonValue;
  /** The limit that was reached. */
  readonly limit?: string;
  /** The number of model calls. */
  readonly turns?: number;
  /** The tokens of all turns. */
  readonly usage?: JsonValue;
  /** The whole history. */
  readonly messages?: readonly JsonValue[];
}

/** A call that waits for a decision or a resolution. */
export interface WaitingCall {
  /** The run that it belongs to. */
  readonly runId: string;
  /** The id for `decide` and `resolveOutcome`: the call's own id, preceded by those of the enclosing agent calls, separated by `/`. */
  readonly callId: string;
  /** `approval` waits for `decide`; `unknown` was in flight when its process died and waits for `resolveOutcome`. */
  readonly kind: 'approval' | 'unknown';
  /** The call and the tool it would run; for an unknown one, its id, name and arguments only. */
  readonly call: PendingCall | Pick<PendingCall, 'id' | 'name' | 'arguments'>;
  /** When it began to wait. */
  readonly since: Date;
  /** When it is denied unless someone decides before. */
  readonly deadlineAt?: Date;
}

/** An event from the log of a run. */
export interface LogEvent {
  /** Its position in the log: higher than that of every earlier event. */
  readonly seq: number;
  /** When it was emitted, in milliseconds since 1970, by the clock of the machine that ran the step. */
  readonly at: number;
  /** The id of the step that emitted it, which also tells which sub-agent it belongs to; empty for an event of the run itself. */
  readonly step: string;
  /** The event. `turn-start` has only the names of the tools; partial replies are not logged. */
  readonly event: AgentEvent;
}

/** How to resolve a call whose outcome is unknown: run it again (`retry`), let the model read `OUTCOME_UNKNOWN` (`tell`), or use this text as its result. */
export type OutcomeResolution = 'retry' | 'tell' | { readonly text: string };

/** A decision on a call, made from outside the run. */
export type Decision = Exclude<ApprovalDecision, { readonly decision: 'later' }>;

/** Acts on recorded runs from outside, in any process. Every method rejects with `STORE_FAILED` if the store fails. */
export interface RunSignals {
  /** Lists the waiting calls of one run or of all, oldest first. An answered call is no longer listed, even if no worker has read the answer yet. */
  waiting(id?: string): Promise<readonly WaitingCall[]>;
  /** Decides on a call, which need not be waiting yet. Only the first decision counts. Resolves to whether this one does. */
  decide(id: string, callId: string, decision: Decision): Promise<boolean>;
  /** Resolves a call whose outcome is unknown. Only the first resolution counts. Resolves to whether this one does. */
  resolveOutcome(id: string, callId: string, resolution: OutcomeResolution): Promise<boolean>;
  /** Adds a message to a run: before the next model call, or with `after: 'answer'` after the answer, so that the run continues. Rejects for a finished run. */
  steer(
    id: string,
    message: string | UserMessage,
    options?: {
      /** When the message is added: `call` is before the next model call, `answer` after the answer. Default `call`. */
      readonly after?: 'call' | 'answer' | undefined;
    },
  ): Promise<void>;
  /** Ends a run once the calls in flight are done. Resolves to false if it had already finished. */
  stop(id: string): Promise<boolean>;
  /** Cancels a run and aborts what is in flight. Resolves to false if it had already finished. */
  cancel(id: string): Promise<boolean>;
}

/** Options of `start`. */
export interface StartOptions {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Extra input for the agent's `run`. JSON. */
  readonly input?: JsonValue | undefined;
  /** When the run starts. Default: immediately. */
  readonly at?: Date | undefined;
  /** When the run is cancelled if it has not finished by then. Default: never. */
  readonly deadline?: Date | undefined;
}

/** Which runs to list. */
export interface RunFilter {
  /** Only runs with this status. */
  readonly status?: RunStatus | undefined;
  /** The maximum number of runs. Default 100. */
  readonly limit?: number | undefined;
}

/** Options of a method that waits. */
export interface WaitOptions {
  /** Ends the wait: the method rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Which events to read. */
export interface EventsOptions extends WaitOptions {
  /** Return only events after this position. Default 0: all. */
  readonly after?: number | undefined;
  /** Whether to wait for new events until the run has finished. Default true. */
  readonly follow?: boolean | undefined;
}

/** Which finished runs to delete. */
export interface PurgeOptions {
  /** Only runs with these ids. */
  readonly ids?: readonly string[] | undefined;
  /** Only runs that ended before this time. Default: all finished runs. */
  readonly before?: Date | undefined;
}

/** The runs of an engine. Every method may be called in any process, and rejects with `STORE_FAILED` if the store fails. */
export interface RecordedRuns<Start = StartOptions, Filter = RunFilter> extends RunSignals {
  /**
   * Starts a run. Starting it again with the same id and input has no effect. Resolves to whether the run is new, once the store has it. Rejects with
   * `CONFIG_INVALID` for an id that was used with another input.
   */
  start(id: string, options: Start): Promise<boolean>;
  /** Reads a run; undefined if there is none with this id. */
  status(id: string): Promise<RecordedRun | undefined>;
  /** Lists runs, latest first. */
  list(filter?: Filter): Promise<readonly RecordedRun[]>;
  /** Resolves once the run has finished, however it ended. A blocked run has not finished. */
  result(id: string, options?: WaitOptions): Promise<RecordedRun>;
  /** Yields the events of a run in order; `after` resumes from a position. */
  events(id: string, options?: EventsOptions): AsyncGenerator<LogEvent, void>;
  /** Deletes finished runs with all their data. Resolves to the number of deleted runs. */
  purge(options?: PurgeOptions): Promise<number>;
}
