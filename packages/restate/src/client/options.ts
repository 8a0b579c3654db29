import { type JsonValue, type Message, optionKeys } from '@kernel/protocol';
import type { RestateApiOptions } from './restate-api.ts';

/** Options of `openRestate`. */
export interface RestateOptions extends RestateApiOptions {
  /** The name of the agent, as in `agentWorkflow`. */
  readonly agent: string;
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

/** Options of `retry`. */
export interface RetryOptions {
  /** Whether a blocked run moves to the deployment registered last. Default false. */
  readonly latest?: boolean | undefined;
}

/** The options of `openRestate`, for `checkKeys`. */
export const RESTATE = optionKeys<RestateOptions>({
  agent: true,
  ingressUrl: true,
  adminUrl: true,
  headers: true,
  fetch: true,
});
/** The options of `start`. */
export const START = optionKeys<StartOptions>({ messages: true, input: true, at: true, deadline: true });
/** The options of `result`. */
export const WAIT = optionKeys<WaitOptions>({ signal: true });
/** The options of `events`. */
export const EVENTS = optionKeys<EventsOptions>({ after: true, follow: true, signal: true });
/** The options of `retry`. */
export const RETRY = optionKeys<RetryOptions>({ latest: true });
