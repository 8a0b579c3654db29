import { linkAbort, MAX_TIMER_MS, untilAborted, errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { Clock, RunState, ScheduledRun } from './types.ts';

export interface RunOutcome {
  readonly state: Exclude<RunState, 'waiting' | 'running'>;
  readonly outcome: string;
}

/** Executes one run within its time limit. Never rejects. A run that ignores its abort is not waited for. */
export async function executeRun(
  run: ScheduledRun,
  work: (run: ScheduledRun, signal: AbortSignal) => Promise<string>,
  { timeoutMs, clock, signal }: { readonly timeoutMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<RunOutcome> {
  const limitMs = Math.min(timeoutMs, run.limits.timeMs ?? Infinity);
  const controller = new AbortController();
  const unlink = linkAbort(signal, controller);
  const ended = new AbortController();
  const stopLate = async (): Promise<void> => {
    // A timer of more than 24 days would fire at once.
    for (let leftMs = limitMs; leftMs > 0 && !ended.signal.aborted; leftMs -= MAX_TIMER_MS)
      await clock.wait(Math.min(leftMs, MAX_TIMER_MS), ended.signal);
    if (!ended.signal.aborted)
      controller.abort(new KernelError('TOOL_TIMEOUT', `The run took longer than ${limitMs} ms.`));
  };
  const late = stopLate();
  try {
    return { state: 'done', outcome: await untilAborted(work(run, controller.signal), controller.signal) };
  } catch (error) {
    if (signal.aborted) return { state: 'unknown', outcome: 'The run was stopped.' };
    return { state: 'failed', outcome: errorMessage(error) };
  } finally {
    ended.abort();
    unlink();
    await late;
  }
}
