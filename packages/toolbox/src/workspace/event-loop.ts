import { setImmediate as afterEvents } from 'node:timers/promises';

const MAX_MS = 10;

/**
 * Creates a function to await between steps that are synchronous, as those on files are: now and then it lets timers and other work run, without which
 * nothing could abort what takes long.
 */
export function createEventLoopYield(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < MAX_MS) return;
    await afterEvents();
    last = performance.now();
  };
}
