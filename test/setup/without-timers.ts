/** Proofs that something happens at once: without a timer, however long a busy machine takes. */
import { vi } from 'vitest';

/**
 * Calls `trigger` and resolves to what `work` settles to, while no timer that is set in the meantime fires: work that waits for one never
 * settles, and the test fails by its own limit.
 */
export async function withoutTimers<T>(trigger: () => void, work: () => T | Promise<T>): Promise<T> {
  // Those that are set already can still be cleared.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  try {
    trigger();
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Resolves when the check holds, looking at it in every turn of the event loop. */
export async function untilHolds(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setImmediate(resolve));
}
