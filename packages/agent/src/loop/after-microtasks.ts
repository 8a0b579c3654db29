/** Aborts `child` when `parent` aborts. Returns a function that removes the listener; call it in `finally`. */
export function linkAbort(parent: AbortSignal | undefined, child: AbortController): () => void {
  if (parent === undefined) return () => {};
  const forward = (): void => child.abort(parent.reason);
  if (parent.aborted) forward();
  else parent.addEventListener('abort', forward, { once: true });
  return () => parent.removeEventListener('abort', forward);
}

/** Settles like `work`, or rejects with `signal.reason` on abort. An abandoned `work` may reject unheard. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    void work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
}

/** How many microtasks a promise that is as good as settled may need to be heard. */
const HOPS = 4;

/** Runs `work` a few microtasks later: what still waits then needs a clock and a listener, and what was there at once has cost neither. */
export function inAMoment(work: () => void, hops = HOPS): void {
  if (hops === 0) work();
  else queueMicrotask(() => inAMoment(work, hops - 1));
}
