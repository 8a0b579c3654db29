/** A stream that ends sooner after it was resumed has brought nothing; so many of them in a row are resumed as the server asks. */
const SHORT_MS = 1000;
const MAX_SHORT = 10;
/** How long the next one waits at least, which doubles with each. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

export function createReconnectTimers() {
  const timers = new Set<NodeJS.Timeout>();
  let resumedMs = -Infinity;
  let short = 0;
  return {
    /**
     * Calls `reconnect` after the delay and up to a tenth of it more, never earlier; returns a function that cancels that. Where streams end again and again as
     * soon as they are resumed, the delay grows, whatever the server asks for.
     */
    schedule(reconnect: () => void, delayMs: number): () => void {
      short = performance.now() - resumedMs < SHORT_MS ? short + 1 : 0;
      const pauseMs = short <= MAX_SHORT ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (short - MAX_SHORT - 1));
      // With jitter, so that clients that lost a server together do not all come back at once.
      const jitteredMs = Math.max(delayMs, pauseMs) * (1 + Math.random() / 10);
      const timer = setTimeout(() => {
        timers.delete(timer);
        resumedMs = performance.now();
        reconnect();
      }, jitteredMs);
      timers.add(timer);
      return () => {
        clearTimeout(timer);
        timers.delete(timer);
      };
    },
    clear(): void {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
