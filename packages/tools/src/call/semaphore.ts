import { MAX_TIMER_MS, onAbort } from '@kernel/internal';

/** A limit that a call counts against while it runs. */
export interface ConcurrencyLimit {
  readonly id: string;
  readonly max: number;
  /** Set for the limit that every call counts against. It is never reserved for a call that waits for another limit. */
  readonly shared?: boolean;
}

/** A counting semaphore over several limits at once. */
export interface Semaphore {
  /**
   * Acquires all limits at once, first come, first served. Returns at once if they are free; otherwise waits until they are, the signal
   * aborts or the time is over. A `timeoutMs` of `0` or `Infinity` means no timeout.
   */
  acquire(
    limits: readonly ConcurrencyLimit[],
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Release | 'aborted' | 'timeout'> | Release;
}

/** Releases the limits, or with `true` only the shared ones. Releasing again has no effect. */
export type Release = (sharedOnly?: boolean) => void;

interface Waiter {
  readonly limits: readonly ConcurrencyLimit[];
  readonly start: () => void;
}

/** Creates a semaphore. It keeps no state for limits that nothing holds. */
export function createSemaphore(): Semaphore {
  const active = new Map<string, number>();
  const queue = new Set<Waiter>();

  const isFree = (limit: ConcurrencyLimit): boolean => (active.get(limit.id) ?? 0) < limit.max;
  const take = (limits: readonly ConcurrencyLimit[]): Release => {
    for (const { id } of limits) active.set(id, (active.get(id) ?? 0) + 1);
    const held = new Set(limits);
    return (sharedOnly) => {
      for (const limit of held) {
        if (sharedOnly === true && limit.shared !== true) continue;
        held.delete(limit);
        const count = (active.get(limit.id) ?? 1) - 1;
        if (count === 0) active.delete(limit.id);
        else active.set(limit.id, count);
      }
      if (queue.size > 0) startWaiters();
    };
  };
  const startWaiters = (): void => {
    const reserved = new Set<string>();
    for (const waiter of queue) {
      const full = waiter.limits.find((limit) => !isFree(limit));
      if (full?.shared === true) return; // no other call can start either: all of them need it
      if (full === undefined && !waiter.limits.some((limit) => reserved.has(limit.id))) {
        queue.delete(waiter);
        waiter.start();
        continue;
      }
      for (const limit of waiter.limits) if (limit.shared !== true) reserved.add(limit.id);
    }
  };
  const wouldOvertake = (limits: readonly ConcurrencyLimit[]): boolean => {
    const wanted = new Set(limits.filter((limit) => limit.shared !== true).map((limit) => limit.id));
    return [...queue].some((waiter) => waiter.limits.some((limit) => wanted.has(limit.id)));
  };

  return {
    acquire(limits, signal, timeoutMs) {
      if ((queue.size === 0 || !wouldOvertake(limits)) && limits.every((limit) => isFree(limit))) return take(limits);
      if (signal.aborted) return Promise.resolve('aborted');
      return new Promise((resolve) => {
        const waiter: Waiter = {
          limits,
          start() {
            clearTimeout(timer);
            removeAbort();
            resolve(take(limits));
          },
        };
        const giveUp = (reason: 'aborted' | 'timeout'): void => {
          clearTimeout(timer);
          removeAbort();
          queue.delete(waiter);
          resolve(reason);
          startWaiters();
        };
        const hasTimeout = timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS;
        const timer = hasTimeout ? setTimeout(() => giveUp('timeout'), timeoutMs) : undefined;
        const removeAbort = onAbort(signal, () => giveUp('aborted'));
        queue.add(waiter);
      });
    },
  };
}
