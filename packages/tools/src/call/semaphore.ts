import { onAbort } from './abort.ts';
import { LONGEST_TIMER_MS } from './race-handler.ts';

/** A limit that a call counts against while it runs. */
export interface Slot {
  readonly id: string;
  readonly max: number;
  /** A shared slot that is full holds back nobody who does not need it, and is never reserved for a waiting call. */
  readonly shared?: boolean;
}

/** Lets calls in as their slots are free. */
export interface Gate {
  /**
   * Waits for all slots at once, in order of arrival; says so when the signal aborts or the time is over first. `0` or `Infinity`: no
   * clock.
   */
  enter(slots: readonly Slot[], signal: AbortSignal, timeoutMs: number): Promise<Entered> | Leave;
}

/** Frees the slots, or with `true` only the shared ones. */
export type Leave = (sharedOnly?: boolean) => void;

type Entered = Leave | 'aborted' | 'timeout';

interface Waiter {
  readonly slots: readonly Slot[];
  readonly start: () => void;
}

/** Creates a gate. Holds nothing for slots that nobody uses. */
export function createGate(): Gate {
  const active = new Map<string, number>();
  const queue = new Set<Waiter>();

  const isFree = (slot: Slot): boolean => (active.get(slot.id) ?? 0) < slot.max;
  const take = (slots: readonly Slot[]): Leave => {
    for (const slot of slots) active.set(slot.id, (active.get(slot.id) ?? 0) + 1);
    const held = new Set(slots);
    return (sharedOnly) => {
      for (const slot of held) {
        if (sharedOnly === true && slot.shared !== true) continue;
        held.delete(slot);
        const left = (active.get(slot.id) ?? 1) - 1;
        if (left === 0) active.delete(slot.id);
        else active.set(slot.id, left);
      }
      if (queue.size > 0) admit();
    };
  };
  const admit = (): void => {
    const reserved = new Set<string>();
    for (const waiter of queue) {
      const full = waiter.slots.find((slot) => !isFree(slot));
      if (full?.shared === true) return; // nobody else can start either: every call needs it
      if (full === undefined && !waiter.slots.some((slot) => reserved.has(slot.id))) {
        queue.delete(waiter);
        waiter.start();
        continue;
      }
      for (const slot of waiter.slots) if (slot.shared !== true) reserved.add(slot.id);
    }
  };

  return {
    enter(slots, signal, timeoutMs) {
      const wanted = new Set(slots.filter((slot) => slot.shared !== true).map((slot) => slot.id));
      const overtakes = [...queue].some((waiter) => waiter.slots.some((slot) => wanted.has(slot.id)));
      if (!overtakes && slots.every((slot) => isFree(slot))) return take(slots);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          slots,
          start() {
            clearTimeout(timer);
            unlisten();
            resolve(take(slots));
          },
        };
        const giveUp = (why: 'aborted' | 'timeout'): void => {
          clearTimeout(timer);
          unlisten();
          queue.delete(waiter);
          resolve(why);
          admit();
        };
        const clocked = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS;
        const timer = clocked ? setTimeout(() => giveUp('timeout'), timeoutMs) : undefined;
        const unlisten = onAbort(signal, () => giveUp('aborted'));
        queue.add(waiter);
      });
    },
  };
}
