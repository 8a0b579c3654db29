const shared = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; remove(): void }>();

/**
 * Calls back once when a signal aborts, at once if it already has; returns a function that takes the callback back. All callbacks
 * on one signal share one listener, so hundreds of parallel calls on one signal add one. `callback` must not throw.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  let entry = shared.get(signal);
  if (entry === undefined) {
    const callbacks = new Set<() => void>();
    const fire = (): void => {
      shared.delete(signal);
      for (const each of callbacks) each();
      callbacks.clear();
    };
    signal.addEventListener('abort', fire, { once: true });
    entry = {
      callbacks,
      remove() {
        signal.removeEventListener('abort', fire);
        shared.delete(signal);
      },
    };
    shared.set(signal, entry);
  }
  const { callbacks, remove } = entry;
  const own = (): void => callback(); // a new function, so that one given twice counts twice
  callbacks.add(own);
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) remove();
  };
}

/** Aborts `child` with the parent's reason when `parent` aborts. Returns a function that removes the link; call it in `finally`. */
export function linkAbort(parent: AbortSignal | undefined, child: AbortController): () => void {
  return onAbort(parent, () => child.abort(parent?.reason));
}

/** Settles like `work`, or rejects with `signal.reason` on abort. `work` itself goes on; if it rejects later, that is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const remove = onAbort(signal, () => reject(signal.reason));
    void work.finally(remove).then(resolve, reject);
  });
}
