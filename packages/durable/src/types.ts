import type { RecordedRun } from '@kernel/protocol';

/** What is known of a run. */
export interface RunRecord extends RecordedRun {
  /** How many times a process died while it ran, as far as that counts. */
  readonly deaths: number;
}
