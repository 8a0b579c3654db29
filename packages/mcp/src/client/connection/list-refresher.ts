import type { ListedTools } from './list-tools.ts';
import type { Connection } from './open-connection.ts';

/** After this many lists in quick succession the next one waits, each time twice as long: some servers announce a change after each list. */
const MAX_BURST = 20;
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export function createListRefresher(
  current: () => Connection | undefined,
  signal: AbortSignal,
  onListed: (listed: ListedTools) => void,
) {
  let isStale = false;
  let refreshing: Promise<void> | undefined;
  let burst = 0;
  let pausedMs = 0;
  let listedMs = -Infinity;
  /** Set while the next list waits. */
  let pause: NodeJS.Timeout | undefined;

  async function listUntilFresh(): Promise<void> {
    for (let connection = current(); isStale && connection !== undefined; connection = current()) {
      if (performance.now() - listedMs > pausedMs + PAUSE_MS) {
        burst = 0;
        pausedMs = 0;
      }
      if (burst === MAX_BURST) {
        pausedMs = Math.min(2 * pausedMs || PAUSE_MS, MAX_PAUSE_MS);
        pause = setTimeout(resume, pausedMs).unref();
        return;
      }
      burst += 1;
      isStale = false;
      try {
        onListed(await connection.listTools(signal)); // one after the other: the last list is the newest
      } catch {
        // The tools stay as they are until the next change or connection.
      }
      listedMs = performance.now();
    }
  }
  function resume(): void {
    pause = undefined;
    burst = 0;
    refresh();
  }
  function refresh(): void {
    if (current() === undefined) return;
    isStale = true;
    if (pause !== undefined) return;
    refreshing ??= listUntilFresh().finally(() => {
      refreshing = undefined;
    });
  }

  return {
    /** Lists again. If a list is under way, lists once more after it, however often this is called meanwhile. */
    refresh,
    settled: (): Promise<void> => refreshing ?? Promise.resolve(),
    stop: (): void => clearTimeout(pause),
  };
}
