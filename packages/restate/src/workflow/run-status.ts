import type { RunStatus } from '@kernel/protocol';
import type { WorkflowContext } from '@restatedev/restate-sdk';
import type { RunState, Wait } from '../run-state.ts';

/** What a run says about itself to those who read its state. */
export interface RunStatusWriter {
  /** The time of the journal, in milliseconds since 1970: that of the latest step. */
  now(): number;
  /** Moves the time of the journal on. */
  setNow(time: number): void;
  /** Writes how the run is, and returns it. */
  set(status: RunStatus, round: number): RunState;
  /** Writes which calls wait, and that the run does; none: that it goes on. */
  setWaits(waits: readonly Wait[]): void;
}

/** Creates the writer of a run's status. Times come from the journal, so that a replay writes the same. */
export function createRunStatus(
  context: WorkflowContext,
  begun: Pick<RunState, 'version' | 'inputDigest' | 'createdAt'>,
): RunStatusWriter {
  let now = begun.createdAt;
  let current: RunStatus = 'running';
  let currentRound = 1;
  const set = (status: RunStatus, round: number): RunState => {
    [current, currentRound] = [status, round];
    const state: RunState = { ...begun, status, round, updatedAt: now };
    context.set('run', state);
    return state;
  };
  return {
    now: () => now,
    setNow(time) {
      now = Math.max(now, time);
    },
    set,
    setWaits(waits) {
      if (waits.length === 0) context.clear('waits');
      else context.set('waits', waits);
      const status = waits.length === 0 ? 'running' : 'waiting';
      if (status !== current) set(status, currentRound);
    },
  };
}
