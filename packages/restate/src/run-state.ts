import type { JsonValue, LogEvent, Message, RunResultJson, RunStatus, UserMessage } from '@kernel/protocol';

/** The input of the workflow. */
export interface StartInput {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Extra input for the agent's `run`. */
  readonly input?: JsonValue;
  /** When the run is cancelled if it has not finished by then, in milliseconds since 1970. */
  readonly deadlineAt?: number;
}

/** The workflow state under the key `run`. The client reads it too. */
export interface RunState {
  /** The status of the run. */
  readonly status: RunStatus;
  /** The version of the agent that it runs on. */
  readonly version: string;
  /** The digest of the input it was started with. */
  readonly inputDigest: string;
  /** The number of the round, from 1. Each `retry` starts a new one. */
  readonly round: number;
  /** When it began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When its status last changed, in milliseconds since 1970. */
  readonly updatedAt: number;
}

/** A waiting call, in the workflow state under the key `waits`. */
export interface Wait {
  /** The id for `decide` and `resolveOutcome`. */
  readonly callId: string;
  /** What it waits for. */
  readonly kind: 'approval' | 'unknown';
  /** The call. */
  readonly call: JsonValue;
  /** When it began to wait, in milliseconds since 1970. */
  readonly since: number;
  /** When it is denied, in milliseconds since 1970. */
  readonly deadlineAt?: number;
  /** The name of the durable promise for its answer. */
  readonly answer: string;
}

/** A signal to a run. */
export type Signal =
  | { readonly kind: 'cancel' | 'stop' }
  | { readonly kind: 'steer' | 'followUp'; readonly message: string | UserMessage };

/** A batch of events, in one durable promise. */
export interface EventPage {
  /** The events, in order. */
  readonly events: readonly LogEvent[];
  /** Whether it is the last page of its round. */
  readonly isLast: boolean;
}

/** The end of a round, in a durable promise. */
export interface RunEndRecord {
  /** The state of the run from then on. */
  readonly run: RunState;
  /** How it ended. */
  readonly result: RunResultJson;
}

/** The return value of the handler `outcome`. */
export interface Outcome {
  /** The state of the run; undefined before it begins. */
  readonly run?: RunState;
  /** How it ended, if it has finished. */
  readonly result?: RunResultJson;
}

/** The statuses that are final. */
export const FINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(['done', 'failed', 'cancelled']);

/** The position of an event is its page number times this, plus its index in the page. */
export const EVENTS_PER_PAGE = 1_000_000;

/** The names of the durable promises of a workflow. */
export const promiseNames = {
  /** The answer for a call. `round` counts how often it was asked for. */
  answer: (kind: Wait['kind'], callId: string, round: number): string => `${kind} ${callId} ${round}`,
  /** A signal, by its number from 1. */
  signal: (number: number): string => `signal ${number}`,
  /** A page of events, by its number from 1. */
  events: (page: number): string => `events ${page}`,
  /** The end of a round. */
  end: (round: number): string => `end ${round}`,
  /** The request to retry after a round that failed. */
  retry: (round: number): string => `retry ${round}`,
} as const;

/** The state key that counts how often an answer for a call was asked for; absent the first time. */
export function roundKey(kind: Wait['kind'], callId: string): string {
  return `round ${kind} ${callId}`;
}
