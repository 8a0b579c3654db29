/** Lets at most `max` holders in at once, in order of arrival. */
export interface Gate {
  /** Nothing where there is room, else a promise of it. Whoever entered calls `leave` once. */
  enter(): Promise<void> | undefined;
  leave(): void;
}

/** Makes a gate. With no `max` everyone enters at once. */
export function createGate(max = Infinity): Gate {
  const queue: (() => void)[] = [];
  let inside = 0;
  return {
    enter() {
      if (inside >= max) return new Promise((resolve) => queue.push(resolve));
      inside += 1;
      return undefined;
    },
    leave() {
      const next = queue.shift();
      // The place goes to the next one as it is, so that nobody else takes it meanwhile.
      if (next === undefined) inside -= 1;
      else next();
    },
  };
}
