import type { JsonValue, LoggedEvent, Message, RunResultJson, RunStatus, UserMessage } from '@kernel/protocol';

/** What a run is started with: the input of the workflow. */
export interface StartInput {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** What the agent's `run` gets besides. */
  readonly input?: JsonValue;
  /** When the run is cancelled if it is not over, in milliseconds since 1970. */
  readonly deadlineAt?: number;
}

/** The state of a workflow under the key `run`, which others may read. */
export interface RunState {
  /** How the run is. */
  readonly status: RunStatus;
  /** The version of the agent that it goes on with. */
  readonly version: string;
  /** Identifies what it was started with. */
  readonly inputDigest: string;
  /** Counts the attempts that ended: the key of the end, and of the retry after it. */
  readonly round: number;
  /** When it began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When its status changed last, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** A call that waits, in the state of a workflow under the key `waits`. */
export interface Wait {
  /** What `decide` and `resolveUnknown` take. */
  readonly callId: string;
  /** What it waits for. */
  readonly kind: 'approval' | 'unknown';
  /** The call. */
  readonly call: JsonValue;
  /** Since when it waits, in milliseconds since 1970. */
  readonly since: number;
  /** When it is denied, in milliseconds since 1970. */
  readonly deadlineAt?: number;
  /** The durable promise that its answer completes. */
  readonly answer: string;
}

/** Something that comes in while a run is under way. */
export type Signal =
  | { readonly kind: 'cancel' | 'stop' }
  | { readonly kind: 'steer' | 'followUp'; readonly message: string | UserMessage };

/** Some events of a run, in one durable promise. */
export interface EventPage {
  /** The events, in order. */
  readonly events: readonly LoggedEvent[];
  /** Whether the attempt ended with them. */
  readonly isLast: boolean;
}

/** The end of an attempt at a run, in a durable promise. */
export interface RunEndRecord {
  /** The state of the run since. */
  readonly run: RunState;
  /** How it ended. */
  readonly result: RunResultJson;
}

/** What the handler `outcome` returns. */
export interface Outcome {
  /** The state of the run; undefined before it has begun. */
  readonly run?: RunState;
  /** How it ended, if it is over. */
  readonly result?: RunResultJson;
}

/** The statuses that are final. */
export const FINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(['done', 'failed', 'cancelled']);

/** Positions of events: the number of the page times this, and the index in the page. */
export const EVENTS_PER_PAGE = 1_000_000;

/** The names of the durable promises of a workflow. */
export const promiseNames = {
  /** The answer on a call. `round` counts the questions about it. */
  answer: (kind: Wait['kind'], callId: string, round: number): string => `${kind} ${callId} ${round}`,
  /** The signal of this number, from 1. */
  signal: (number: number): string => `signal ${number}`,
  /** The page of events of this number, from 1. */
  events: (page: number): string => `events ${page}`,
  /** The end of an attempt. */
  end: (round: number): string => `end ${round}`,
  /** The wish to go on after an attempt that failed. */
  retry: (round: number): string => `retry ${round}`,
} as const;

/** The key of the state that counts the questions about a call; absent before the second one. */
export function roundKey(kind: Wait['kind'], callId: string): string {
  return `round ${kind} ${callId}`;
}
