import { onAbort } from './abort.ts';

/** A limit that a call counts against while it runs. */
export interface Slot {
  readonly id: string;
  readonly max: number;
  /** A shared slot that is full holds back nobody who does not need it, and is never reserved for a waiting call. */
  readonly shared?: boolean;
}

/** Lets calls in as their slots are free. */
export interface Gate {
  /** Waits for all slots at once (so nothing can deadlock), in order of arrival; `undefined` when the signal aborts first. */
  enter(slots: readonly Slot[], signal: AbortSignal): Promise<(() => void) | undefined> | (() => void);
}

interface Waiter {
  readonly slots: readonly Slot[];
  readonly start: () => void;
}

/** Creates a gate. Holds nothing for slots that nobody uses. */
export function createGate(): Gate {
  const active = new Map<string, number>();
  const queue = new Set<Waiter>();

  const isFree = (slot: Slot): boolean => (active.get(slot.id) ?? 0) < slot.max;
  const take = (slots: readonly Slot[]): (() => void) => {
    for (const slot of slots) active.set(slot.id, (active.get(slot.id) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      for (const slot of slots) {
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
    enter(slots, signal) {
      const wanted = new Set(slots.filter((slot) => slot.shared !== true).map((slot) => slot.id));
      const overtakes = [...queue].some((waiter) => waiter.slots.some((slot) => wanted.has(slot.id)));
      if (!overtakes && slots.every((slot) => isFree(slot))) return take(slots);
      return new Promise((resolve) => {
        const waiter: Waiter = {
          slots,
          start() {
            unlisten();
            resolve(take(slots));
          },
        };
        const unlisten = onAbort(signal, () => {
          queue.delete(waiter);
          resolve(undefined);
          admit();
        });
        queue.add(waiter);
      });
    },
  };
}
