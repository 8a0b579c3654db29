/** The timers of streams that wait to be resumed. */
export interface ReconnectTimers {
  /** Calls `reconnect` after the delay and up to a tenth of it more, never earlier; returns a function that cancels that. */
  schedule(reconnect: () => void, delayMs: number): () => void;
  /** Cancels everything that waits. */
  clear(): void;
}

/** Creates the timers of one connection. */
export function createReconnectTimers(): ReconnectTimers {
  const timers = new Set<NodeJS.Timeout>();
  return {
    schedule(reconnect, delayMs) {
      // With jitter, so that clients that lost a server together do not all come back at once.
      const jitteredMs = delayMs * (1 + Math.random() / 10);
      const timer = setTimeout(() => {
        timers.delete(timer);
        reconnect();
      }, jitteredMs);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
