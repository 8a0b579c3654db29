/** Creates a set of listeners, which may throw. */
export function createListeners(): { add(listener: () => void): () => void; notify(): void } {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      // Wrapped, so that a listener added twice counts twice.
      const own = (): void => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    notify() {
      for (const listener of listeners) {
        try {
          listener();
        } catch {
          // The error of one listener must not keep the change from the others.
        }
      }
    },
  };
}
