import type { JsonValue, LogEvent, Message, RunResultJson, RunStatus, UserMessage } from '@kernel/protocol';

export interface StartInput {
  readonly messages: readonly Message[];
  readonly input?: JsonValue;
  readonly deadlineAt?: number;
}

/** The workflow state under the key `run`. The client reads it too. */
export interface RunState {
  readonly status: RunStatus;
  readonly version: string;
  readonly inputDigest: string;
  /** The number of the round, from 1. Each `retry` starts a new one. */
  readonly round: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A waiting call, in the workflow state under the key `waits`. */
export interface Wait {
  readonly callId: string;
  readonly kind: 'approval' | 'unknown';
  readonly call: JsonValue;
  readonly since: number;
  readonly deadlineAt?: number;
  /** The name of the durable promise for its answer. */
  readonly answer: string;
}

export type Signal =
  | { readonly kind: 'cancel' | 'stop' }
  | { readonly kind: 'steer' | 'followUp'; readonly message: string | UserMessage };

/** A batch of events, in one durable promise. */
export interface EventPage {
  readonly events: readonly LogEvent[];
  /** Whether it is the last page of its round. */
  readonly isLast: boolean;
}

/** The end of a round, in a durable promise. */
export interface RunEndRecord {
  readonly run: RunState;
  readonly result: RunResultJson;
}

export interface Outcome {
  readonly run?: RunState;
  readonly result?: RunResultJson;
}

export const FINAL: ReadonlySet<RunStatus> = new Set<RunStatus>(['done', 'failed', 'cancelled']);

/** The position of an event is its page number times this, plus its index in the page. */
export const EVENTS_PER_PAGE = 1_000_000;

export const promiseNames = {
  /** The answer for a call. `round` counts how often it was asked for. */
  answer: (kind: Wait['kind'], callId: string, round: number): string => `${kind} ${callId} ${round}`,
  signal: (number: number): string => `signal ${number}`,
  events: (page: number): string => `events ${page}`,
  end: (round: number): string => `end ${round}`,
  retry: (round: number): string => `retry ${round}`,
} as const;

/** The state key that counts how often an answer for a call was asked for; absent the first time. */
export function roundKey(kind: Wait['kind'], callId: string): string {
  return `round ${kind} ${callId}`;
}
