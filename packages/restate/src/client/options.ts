import { type EventsOptions, optionKeys, type StartOptions, type WaitOptions } from '@kernel/protocol';
import type { RestateApiOptions } from './restate-api.ts';

/** Options of `openRestate`. */
export interface RestateOptions extends RestateApiOptions {
  /** The name of the agent, as in `agentWorkflow`. */
  readonly agent: string;
}

/** Options of `retry`. */
export interface RetryOptions {
  /** Whether a blocked run moves to the deployment registered last. Default false. */
  readonly latest?: boolean | undefined;
}

export const RESTATE = optionKeys<RestateOptions>({
  agent: true,
  ingressUrl: true,
  adminUrl: true,
  headers: true,
  fetch: true,
});
export const START = optionKeys<StartOptions>({ messages: true, input: true, at: true, deadline: true });
export const WAIT = optionKeys<WaitOptions>({ signal: true });
export const EVENTS = optionKeys<EventsOptions>({ after: true, follow: true, signal: true });
export const RETRY = optionKeys<RetryOptions>({ latest: true });
