import type { RunStatus } from '@kernel/protocol';
import type { WorkflowContext } from '@restatedev/restate-sdk';
import type { RunState, Wait } from '../run-state.ts';

export type RunStatusWriter = ReturnType<typeof createRunStatus>;

/** Creates the writer of a run's status. Its times come from the journal, so a replay writes the same ones. */
export function createRunStatus(
  context: WorkflowContext,
  begun: Pick<RunState, 'version' | 'inputDigest' | 'createdAt'>,
) {
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
    /** The time of the journal, which is that of the latest step, in milliseconds since 1970. */
    now: (): number => now,
    setNow(time: number): void {
      now = Math.max(now, time);
    },
    set,
    /** Writes the waiting calls, and the matching status: `waiting`, or `running` if there are none. */
    setWaits(waits: readonly Wait[]): void {
      if (waits.length === 0) context.clear('waits');
      else context.set('waits', waits);
      const status = waits.length === 0 ? 'running' : 'waiting';
      if (status !== current) set(status, currentRound);
    },
  };
}
