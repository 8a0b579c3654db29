import { randomUUID } from 'node:crypto';
import { delay, ownIdentity, linkAbort, MAX_TIMER_MS, untilAborted, errorMessage } from '@kernel/internal';
import { checkChoice, checkFunctions, checkNumber, KernelError } from '@kernel/protocol';
import { lastTime, nextTime, timesBetween } from './next-time.ts';
import type { ScheduleStore } from './store.ts';
import type { Clock, MissedRuns, Schedule, ScheduledRun, RunState } from './types.ts';

/** Options of `runSchedules`. */
export interface SchedulerOptions {
  /** The schedules. Several processes can share a file; one of them at a time executes runs. */
  readonly store: ScheduleStore;
  /**
   * Executes one run, with the limits of the run and permissions of its own, and returns its answer. Pass the id of the run as `runId` to `run()`, so
   * that its calls keep their idempotency keys when it is started again.
   */
  readonly run: (run: ScheduledRun, signal: AbortSignal) => Promise<string>;
  /** What happens with due times that passed while no scheduler ran. Default `once`. */
  readonly missed?: MissedRuns | undefined;
  /** Whether a run that a crash ended is started again. Default false: it is unknown what it had done. */
  readonly repeatUnfinished?: boolean | undefined;
  /** Time limit of a run, in milliseconds; a schedule can have a shorter one. Default 600,000. */
  readonly timeoutMs?: number | undefined;
  /** How many runs execute at once. Default 4. */
  readonly parallel?: number | undefined;
  /** Receives errors that belong to no run, such as those of the store. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Stops starting runs, and aborts those in progress. */
  readonly signal: AbortSignal;
  /** The current time and waiting; replaceable in tests. */
  readonly clock?: Clock | undefined;
}

const LEASE_MS = 30_000;
/** Other processes can add schedules, so that nobody sleeps for longer. */
const LOOK_MS = 10_000;
const MAX_MISSED = 100;
const TIMEOUT_MS = 600_000;
const MAX_STARTED = 1000;
/** A run that begins this much later than it was due counts as missed. */
const LATE_MS = 60_000;
const SYSTEM_CLOCK: Clock = { now: () => Date.now(), wait: (ms, signal) => delay(ms, signal).catch(() => undefined) };

/**
 * Runs schedules until the signal aborts; resolves when its last run has ended. A schedule that another process adds is seen within ten seconds. Of
 * several processes that share a store, one at a time runs the schedules; when it hangs, another one takes over within 30 seconds, and at its next look
 * when it has ended and ran on the same machine.
 *
 * A waiting run is recorded together with the next due time of its schedule, and the start of a run before it starts, so that no due time runs twice.
 * Waiting runs survive the process. What the store temporarily fails to record is retried.
 */
export async function runSchedules(options: SchedulerOptions): Promise<void> {
  checkFunctions('runSchedules', { run: options.run, onError: options.onError });
  checkChoice('runSchedules', 'missed', options.missed, ['skip', 'once', 'all']);
  checkNumber('runSchedules', 'timeoutMs', options.timeoutMs, 1);
  checkNumber('runSchedules', 'parallel', options.parallel, 1);
  const { store, signal, clock = SYSTEM_CLOCK, missed = 'once', parallel = 4, timeoutMs = TIMEOUT_MS } = options;
  const { repeatUnfinished = false } = options;
  const owner = JSON.stringify({ ...ownIdentity(), id: randomUUID() });
  const working = new Set<Promise<void>>();
  const unrecorded = new Set<() => void>();
  let isOwner = false;
  let hasTakenOver = false;
  let leasedUntilMs = 0;
  let lastMs = -Infinity;
  // Runs stop when another process has taken over.
  let leadership = new AbortController();

  /** Tries something that a failing store must not keep others from; returns whether it worked. */
  const attempt = (work: () => void): boolean => {
    try {
      work();
      return true;
    } catch (error) {
      options.onError?.(error);
      return false;
    }
  };
  const record = (work: () => void): void => {
    if (attempt(work)) unrecorded.delete(work);
    else unrecorded.add(work);
  };
  const executeNext = async (next: ScheduledRun): Promise<void> => {
    const { state, outcome } = await executeRun(next, options.run, { timeoutMs, clock, signal: leadership.signal });
    record(() => store.end(next, state, outcome, clock.now()));
  };
  const startWaiting = (): void => {
    const room = parallel - working.size;
    if (room <= 0 || signal.aborted || !hasTakenOver) return;
    for (const next of store.start(owner, Math.min(Math.ceil(room), MAX_STARTED), clock.now())) {
      const work = executeNext(next).finally(() => {
        working.delete(work);
        attempt(startWaiting);
      });
      working.add(work);
    }
  };
  const loseLeadership = (): void => {
    hasTakenOver = false;
    leadership.abort(new KernelError('TOOL_CANCELLED', 'Another process runs the schedules now.'));
    leadership = new AbortController();
  };
  const tick = (): boolean => {
    const nowMs = clock.now();
    const isSetBack = nowMs < lastMs - LATE_MS;
    lastMs = nowMs;
    const isShort = nowMs > leasedUntilMs - LEASE_MS / 2 || nowMs < leasedUntilMs - LEASE_MS;
    if (!isOwner || isShort) {
      const wasOwner = isOwner;
      isOwner = store.lease(owner, nowMs, nowMs + LEASE_MS);
      leasedUntilMs = nowMs + LEASE_MS;
      if (wasOwner && !isOwner) loseLeadership();
    }
    if (!isOwner) return true;
    for (const work of unrecorded) record(work);
    let isDone = unrecorded.size === 0;
    if (!hasTakenOver) {
      store.takeOver(owner, repeatUnfinished, nowMs);
      hasTakenOver = true;
      store.realign(nowMs);
    } else if (isSetBack) store.realign(nowMs);
    for (const schedule of store.due(nowMs))
      isDone = attempt(() => beginDue(store, owner, schedule, nowMs, missed)) && isDone;
    startWaiting();
    return isDone;
  };

  while (!signal.aborted) {
    let pauseMs = LOOK_MS;
    attempt(() => {
      if (tick() && isOwner) pauseMs = untilNextMs(store, clock.now());
    });
    // Each look waits for the one before it.
    await clock.wait(pauseMs, signal);
  }
  leadership.abort(signal.reason);
  await Promise.all(working);
  for (const work of unrecorded) attempt(work);
  attempt(() => store.release(owner));
}

function untilNextMs(store: ScheduleStore, nowMs: number): number {
  return Math.min(LOOK_MS, Math.max(1, (store.nextMs() ?? Infinity) - nowMs));
}

function beginDue(store: ScheduleStore, owner: string, schedule: Schedule, nowMs: number, missed: MissedRuns): void {
  const { time, nextMs: dueMs } = schedule;
  if (dueMs === undefined) return;
  const last = Math.max(dueMs, lastTime(time, nowMs) ?? dueMs);
  const onTime = nowMs - last > LATE_MS ? [] : [last];
  const all = (): readonly number[] => [dueMs, ...timesBetween(time, dueMs, nowMs, MAX_MISSED - 1)];
  const begun = missed === 'all' ? all() : missed === 'once' ? [last] : onTime;
  store.begin(owner, schedule, begun, nextTime(time, nowMs), nowMs);
}

interface RunOutcome {
  readonly state: Exclude<RunState, 'waiting' | 'running'>;
  readonly outcome: string;
}

/** Executes one run within its time limit. Never rejects. A run that ignores its abort is not waited for. */
async function executeRun(
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
