/** Aborts `child` when `parent` aborts. Returns a function that removes the listener; call it in `finally`. */
export function linkAbort(parent: AbortSignal | undefined, child: AbortController): () => void {
  if (parent === undefined) return () => {};
  const forward = (): void => child.abort(parent.reason);
  if (parent.aborted) forward();
  else parent.addEventListener('abort', forward, { once: true });
  return () => parent.removeEventListener('abort', forward);
}

/** Waits for promises one after another, each only until the signal aborts. One listener for all of them. */
export interface AbortableWait {
  /** Settles like `work`, or rejects with `signal.reason` on abort. An abandoned `work` may reject unheard. */
  until<T>(work: Promise<T>): Promise<T>;
  /** Removes the listener; call it in `finally`. */
  leave(): void;
}

/** Makes an `AbortableWait` for a sequence of waits on one signal, such as the `next()` calls of an iterator. */
export function abortableWait(signal: AbortSignal): AbortableWait {
  let abandon: ((reason: unknown) => void) | undefined;
  const onAbort = (): void => abandon?.(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    until: (work) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          work.catch(() => {});
          reject(signal.reason);
          return;
        }
        abandon = reject;
        work.then(resolve, reject);
      }),
    leave: () => signal.removeEventListener('abort', onAbort),
  };
}

/** How many microtasks a promise that is as good as settled may need to be heard. */
const HOPS = 4;

/** Runs `work` a few microtasks later: what still waits then needs a clock and a listener, and what was there at once has cost neither. */
export function inAMoment(work: () => void, hops = HOPS): void {
  if (hops === 0) work();
  else queueMicrotask(() => inAMoment(work, hops - 1));
}
