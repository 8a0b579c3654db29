/** Lets at most `max` holders in at once, in order of arrival. */
export interface Gate {
  /** Resolves with the function that lets the next one in; call it once. */
  enter(): Promise<() => void>;
}

/** Makes a gate. With no `max` everyone enters at once. */
export function createGate(max = Infinity): Gate {
  const queue: (() => void)[] = [];
  let inside = 0;
  const leave = (): void => {
    inside -= 1;
    queue.shift()?.();
  };
  return {
    async enter() {
      if (inside >= max) await new Promise<void>((resolve) => queue.push(resolve));
      inside += 1;
      return leave;
    },
  };
}
