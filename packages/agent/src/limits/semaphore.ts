/** Admits at most a fixed number of holders at once, in order of arrival. */
export interface Semaphore {
  /** Returns undefined if there is a free permit, else a promise of one. Each holder calls `release` once. */
  acquire(): Promise<void> | undefined;
  /** Gives the permit back. */
  release(): void;
}

const UNLIMITED: Semaphore = { acquire: () => undefined, release: () => {} };

/** Creates a semaphore with `permits` permits; by default it never blocks. */
export function createSemaphore(permits = Infinity): Semaphore {
  if (permits === Infinity) return UNLIMITED;
  const queue: (() => void)[] = [];
  let held = 0;
  return {
    acquire() {
      if (held >= permits) return new Promise((resolve) => queue.push(resolve));
      held += 1;
      return undefined;
    },
    release() {
      const next = queue.shift();
      // The permit passes straight to the next in line, so that no newcomer can take it in between.
      if (next === undefined) held -= 1;
      else next();
    },
  };
}
