import type { JsonValue, Message, RunFilter, StartOptions } from '@kernel/protocol';

/** The input a run was started with. */
export interface RunInput {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Extra input for the agent's `run`. */
  readonly input?: JsonValue;
}

/** Options of `start`. */
export interface DurableStartOptions extends StartOptions {
  /** The name of the agent, as given to `work`. */
  readonly agent: string;
  /** The version of the agent that the run starts on. Default `1`. */
  readonly version?: string | undefined;
}

/** Which runs to list. */
export interface DurableRunFilter extends RunFilter {
  /** Only runs of this agent. */
  readonly agent?: string | undefined;
}
