import type { AgentEvent } from '../event.ts';
import type { JsonValue } from '../json.ts';
import type { Message, UserMessage } from '../message.ts';
import type { PendingCall } from '../pending.ts';
import type { ApprovalDecision, Approve } from './approve.ts';
import type { RunEnd } from './run-end.ts';
import type { Steering } from './steering.ts';
import type { StepExecutor } from './step.ts';

/** What an agent's `run` passes on to `run` or `runTeam` of `@kernel/agent`: `run({ provider, model, tools, ...executor })`. */
export interface RunExecutor {
  /** The messages that the run was started with. */
  readonly messages: readonly Message[];
  /** The id of the run, which makes the idempotency keys of its calls. */
  readonly runId: string;
  /** Aborts when the run is cancelled, or when its worker must give it up. */
  readonly signal: AbortSignal;
  /** Decides on calls: by what was decided from outside, otherwise by the agent's `approve`. Absent where the agent has none. */
  readonly approve: Approve | undefined;
  /** Brings in what `steer` and `stop` were called with, from any process. */
  readonly steering: Steering;
  /** Records the steps. */
  readonly steps: StepExecutor;
}

/** An agent whose runs are recorded: what a worker of an engine can run. */
export interface DurableAgent {
  /** Changes whenever a run of before could go another way: another prompt, other tools, another model. Default `1`. */
  readonly version?: string | undefined;
  /** Versions of before whose runs this one can go on with. */
  readonly accepts?: readonly string[] | undefined;
  /** Starts the run. `input` is what `start` was given besides the messages. */
  readonly run: (executor: RunExecutor, input: JsonValue | undefined) => AsyncIterable<AgentEvent>;
  /** Decides on calls that nobody has decided on from outside; `later` lets them wait. Without it every call runs. */
  readonly approve?: Approve | undefined;
  /** How long a call may wait for a decision, in milliseconds; then it is denied. Default: no limit. */
  readonly approvalMs?: number | undefined;
  /** How many times a process may die of a run. Then the engine gives it up: see there for how, and for the default. */
  readonly maxAttempts?: number | undefined;
  /** How long the output of a step may be as JSON, in bytes. A longer result of a call is replaced by an error. Default `MAX_STEP_BYTES`, 4 MiB. */
  readonly maxResultBytes?: number | undefined;
  /** What becomes of a call that had begun when its process died: the model is told, or it waits for `resolveUnknown`. Default `tell`. */
  readonly onUnknown?: 'tell' | 'ask' | undefined;
}

/**
 * How a run is: `queued` for a worker, `running`, `waiting` for a decision, `blocked` because its code has changed under it, or over: `done`, `failed`,
 * `cancelled`.
 */
export type RunStatus = 'queued' | 'running' | 'waiting' | 'blocked' | 'done' | 'failed' | 'cancelled';

/** What is known of a run that is recorded. */
export interface RecordedRun {
  /** Its id. */
  readonly id: string;
  /** The name of its agent. */
  readonly agent: string;
  /** The version of the agent that it goes on with. */
  readonly version: string;
  /** How it is. */
  readonly status: RunStatus;
  /** How it ended; absent while it goes on. The error of a failed one is its JSON, for `KernelError.fromJSON`. */
  readonly result?: RunResultJson;
  /** When it was started. */
  readonly createdAt: Date;
  /** When its status changed last. */
  readonly updatedAt: Date;
}

/** The end of a run as JSON. */
export interface RunResultJson {
  /** As in `RunEnd`; `error` too for a run that is blocked or was given up. */
  readonly reason: RunEnd['reason'];
  /** The answer, or the text so far. */
  readonly answer?: string;
  /** The typed answer. */
  readonly output?: JsonValue;
  /** The error, as JSON. */
  readonly error?: JsonValue;
  /** The limit that was reached. */
  readonly limit?: string;
  /** How many times the model was asked. */
  readonly turns?: number;
  /** The tokens of all turns. */
  readonly usage?: JsonValue;
  /** The whole history. */
  readonly messages?: readonly JsonValue[];
}

/** A call that waits for somebody. */
export interface WaitingCall {
  /** The run that it belongs to. */
  readonly runId: string;
  /** What `decide` and `resolveUnknown` take: the id of the call, behind the ids of the calls of agents around it, separated by `/`. */
  readonly callId: string;
  /** `approval` waits for `decide`; `unknown` had begun when its process died, and waits for `resolveUnknown`. */
  readonly kind: 'approval' | 'unknown';
  /** The call, and the tool that it would run; of an unknown one, name and arguments only. */
  readonly call: PendingCall | Pick<PendingCall, 'id' | 'name' | 'arguments'>;
  /** Since when it waits. */
  readonly since: Date;
  /** When it is denied, if nobody decides. */
  readonly deadlineAt?: Date;
}

/** An event of a run. */
export interface LoggedEvent {
  /** Its position: higher than that of the events before. */
  readonly seq: number;
  /** When it was emitted, in milliseconds since 1970, by the clock of the machine that ran it. */
  readonly at: number;
  /** The id of the step that it belongs to, which says whether it is of an agent within a call; empty for one of the run itself. */
  readonly step: string;
  /** The event. `turn-start` has the names of the tools only; pieces of replies are not in the log. */
  readonly event: AgentEvent;
}

/** What becomes of a call whose outcome is unknown: it runs again, the model is told that nobody knows, or it gets this text as its result. */
export type UnknownAnswer = 'retry' | 'tell' | { readonly text: string };

/** A decision on a call that comes from outside of its run. */
export type Decision = Exclude<ApprovalDecision, { readonly decision: 'later' }>;

/** What reaches a recorded run from outside, in any process. Everything rejects with `STORE_FAILED` where the store fails. */
export interface RunSignals {
  /** Lists the calls that wait for somebody, of one run or all, the oldest first. One that has its answer waits no more, even if no worker has read it yet. */
  waiting(id?: string): Promise<readonly WaitingCall[]>;
  /** Decides on a call, even before it waits. The first decision counts. Resolves to whether this is it. */
  decide(id: string, callId: string, decision: Decision): Promise<boolean>;
  /** Says what becomes of a call whose outcome is unknown. The first answer counts. Resolves to whether this is it. */
  resolveUnknown(id: string, callId: string, answer: UnknownAnswer): Promise<boolean>;
  /** Brings a message into a run: before the next model call, or with `after` `answer` instead of ending. Rejects for a run that is over. */
  steer(
    id: string,
    message: string | UserMessage,
    options?: { readonly after?: 'call' | 'answer' | undefined },
  ): Promise<void>;
  /** Ends a run once the calls in flight are done. Resolves to whether it was not over yet. */
  stop(id: string): Promise<boolean>;
  /** Cancels a run and aborts what is in flight. Resolves to whether it was not over yet. */
  cancel(id: string): Promise<boolean>;
}
