const listeners = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly onAborted: () => void }>();

/**
 * Calls back once when a signal aborts, at once if it already has; returns a function that takes the callback back. All callbacks
 * on one signal share one listener, so hundreds of parallel calls on one signal add one. `callback` must not throw.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted === true) callback();
  if (signal === undefined || signal.aborted) return () => {};
  const listener = listeners.get(signal) ?? listen(signal);
  const own = (): void => callback(); // a new function, so that one given twice counts twice
  listener.callbacks.add(own);
  return () => {
    if (!listener.callbacks.delete(own) || listener.callbacks.size > 0) return;
    signal.removeEventListener('abort', listener.onAborted);
    listeners.delete(signal);
  };
}

/** Aborts `child` with the parent's reason when `parent` aborts. Returns a function that removes the link; call it in `finally`. */
export function linkAbort(parent: AbortSignal | undefined, child: AbortController): () => void {
  return onAbort(parent, () => child.abort(parent?.reason));
}

/** Settles like `work`, or rejects with `signal.reason` on abort. `work` itself continues; if it rejects later, that is ignored. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const remove = onAbort(signal, () => reject(signal.reason));
    void work.finally(remove).then(resolve, reject);
  });
}

function listen(signal: AbortSignal) {
  const callbacks = new Set<() => void>();
  const onAborted = (): void => {
    listeners.delete(signal);
    for (const callback of callbacks) callback();
    callbacks.clear();
  };
  const listener = { callbacks, onAborted };
  // A function: an object's `handleEvent` is called by an async function in Node, which makes four promises.
  signal.addEventListener('abort', onAborted, { once: true });
  listeners.set(signal, listener);
  return listener;
}
