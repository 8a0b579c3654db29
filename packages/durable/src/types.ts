import type { JsonValue, Message, RecordedRun } from '@kernel/protocol';

/** What is known of a run. */
export interface RunRecord extends RecordedRun {
  /** How many times a process died while it ran, as far as that counts. */
  readonly deaths: number;
}

/** What a run was started with. */
export interface RunInput {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** What the agent's `run` gets besides. */
  readonly input?: JsonValue;
}
