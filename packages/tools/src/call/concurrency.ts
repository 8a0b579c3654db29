import { KernelError } from '@kernel/protocol';
import type { CallRequest } from './runner.ts';
import { type Slot, createGate } from './semaphore.ts';
import { slotsOf } from './slots.ts';

/** A place among the calls that run at once. */
export interface Place {
  /** Runs work that can be told apart from other callers: a call that it makes knows which places it holds. */
  within<T>(work: () => T): T;
  /** Gives the place back; the tool's own only when what was left behind has ended. */
  leave(left: Promise<unknown> | undefined): void;
}

/** Lets calls in, within a clock and without deadlock. */
export interface Places {
  /** The limits that a call counts against; empty for most. */
  slotsOf(request: CallRequest, input: unknown): readonly Slot[];
  /** Waits for a place, for at most `timeoutMs`; the error that a model reads in its place. Never rejects. */
  enter(request: CallRequest, slots: readonly Slot[], timeoutMs: number): Promise<Place | KernelError>;
}

/** The places that a running call holds, and the call around it. */
interface Holder {
  slots: readonly Slot[];
  readonly around: Holder | undefined;
}

/** Creates the places of a registry whose calls have `registryMax` in common. */
export function createPlaces(registryMax: number): Places {
  const gate = createGate();
  const leftBehind = new Map<string, number>();
  let holders: { getStore(): Holder | undefined; run<T>(holder: Holder, work: () => T): T } | undefined;

  const holdersNow = (): NonNullable<typeof holders> => {
    // Only a registry with limited tools needs it, so that it is made here.
    if (holders !== undefined) return holders;
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    return (holders = new AsyncLocalStorage<Holder>());
  };
  const count = (slots: readonly Slot[], by: number): void => {
    for (const { id } of slots) {
      const number = (leftBehind.get(id) ?? 0) + by;
      if (number === 0) leftBehind.delete(id);
      else leftBehind.set(id, number);
    }
  };

  return {
    slotsOf: ({ binding }, input) => slotsOf(binding, input, registryMax),
    async enter({ binding, context }, slots, timeoutMs) {
      const { name } = binding.tool;
      const around = holdersNow().getStore();
      if (slots.some((slot) => heldBy(around, slot) >= slot.max)) {
        const message = `"${name}" cannot run now: it would wait for a call that waits for it.`;
        const hint = 'A handler must not call a tool whose only place it holds.';
        return new KernelError('TOOL_UNAVAILABLE', message, { hint, data: { tool: name } });
      }
      const leave = await gate.enter(slots, context.signal, timeoutMs);
      if (leave === 'aborted') {
        return new KernelError('TOOL_CANCELLED', `"${name}" was cancelled before it started.`, {
          data: { tool: name },
        });
      }
      if (leave === 'timeout') {
        const abandoned = slots.some((slot) => leftBehind.has(slot.id));
        const reason = abandoned ? 'an earlier call that was given up still runs' : 'earlier calls were still running';
        const message = `"${name}" did not get its turn within ${timeoutMs} ms and has not run: ${reason}.`;
        const data = { tool: name, timeoutMs, clock: 'queue' };
        return new KernelError('TOOL_TIMEOUT', message, { retryable: true, data });
      }
      const holder: Holder = { slots, around };
      return {
        within: (work) => holdersNow().run(holder, work),
        leave(left) {
          if (left === undefined) {
            holder.slots = [];
            return leave();
          }
          const own = slots.filter((slot) => slot.shared !== true);
          leave(true);
          count(own, 1);
          void left.then(() => {
            holder.slots = [];
            count(own, -1);
            return leave();
          });
        },
      };
    },
  };
}

function heldBy(holder: Holder | undefined, slot: Slot): number {
  let held = 0;
  for (let at = holder; at !== undefined; at = at.around) held += at.slots.some(({ id }) => id === slot.id) ? 1 : 0;
  return held;
}
