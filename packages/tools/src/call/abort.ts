const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when a signal aborts; returns the undo. Many calls share one listener on a signal, so that a run with hundreds of
 * parallel calls has one. The callback runs at most once and must not throw.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  let waiting = listeners.get(signal);
  if (waiting === undefined) {
    const created = new Set<() => void>();
    waiting = created;
    listeners.set(signal, created);
    const fire = (): void => {
      listeners.delete(signal);
      for (const each of created) each();
      created.clear();
    };
    signal.addEventListener('abort', fire, { once: true });
    removers.set(created, () => {
      signal.removeEventListener('abort', fire);
      listeners.delete(signal);
    });
  }
  const own = waiting;
  own.add(callback);
  return () => {
    if (own.delete(callback) && own.size === 0) removers.get(own)?.();
  };
}

const removers = new WeakMap<Set<() => void>, () => void>();
