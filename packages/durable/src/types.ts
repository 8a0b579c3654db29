import type { JsonValue, Message, RecordedRun } from '@kernel/protocol';

/** A run in the journal. */
export interface DurableRun extends RecordedRun {
  /** How many crashes of its process count against the run. */
  readonly crashes: number;
}

/** The input a run was started with. */
export interface RunInput {
  /** The conversation so far. */
  readonly messages: readonly Message[];
  /** Extra input for the agent's `run`. */
  readonly input?: JsonValue;
}
