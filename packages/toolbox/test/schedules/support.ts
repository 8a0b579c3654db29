import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Clock, openScheduleStore, type ScheduleStore } from '../../src/schedules/index.ts';

/** A clock that moves only when a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves on, waking up whoever waits, in the order of their times. */
  advance(ms: number): Promise<void>;
}

export function virtualClock(startMs: number): VirtualClock {
  let nowMs = startMs;
  const sleepers = new Set<{ readonly untilMs: number; readonly wake: () => void }>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => nowMs,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        const sleeper = {
          untilMs: nowMs + ms,
          wake: () => {
            sleepers.delete(sleeper);
            resolve();
          },
        };
        sleepers.add(sleeper);
        if (signal.aborted) sleeper.wake();
        else signal.addEventListener('abort', sleeper.wake, { once: true });
      }),
    async advance(ms) {
      const endMs = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...sleepers].toSorted((a, b) => a.untilMs - b.untilMs);
        if (next === undefined || next.untilMs > endMs) break;
        nowMs = Math.max(nowMs, next.untilMs);
        next.wake();
        await settle();
      }
      nowMs = endMs;
    },
  };
}

/** A path for schedules that is removed after the test. */
export async function storePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'schedules-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'state', 'schedules.sqlite');
}

export function openStore(file: string): ScheduleStore {
  const store = openScheduleStore(file);
  onTestFinished(() => store.close());
  return store;
}
