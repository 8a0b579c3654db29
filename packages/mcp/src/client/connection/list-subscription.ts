import { delay } from '@kernel/internal';
import type { Client } from '@modelcontextprotocol/client';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * Subscribes to changes of the list of tools, and again whenever the subscription ends, with a pause that doubles; `onMissed` is called then, since
 * nobody knows what has changed meanwhile. For servers of 2026-07-28; older ones send their changes unasked. Ends with the signal. Never rejects.
 */
export async function subscribeToList(client: Client, signal: AbortSignal, onMissed: () => void): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      const startedMs = performance.now();
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      if ((await subscription.closed) === 'local') return;
      if (performance.now() - startedMs > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
    } catch {
      // It may be unable to; the list is loaded again when it is too old, or on the next connection.
    }
    if (
      !(await delay(pauseMs, signal).then(
        () => true,
        () => false,
      ))
    )
      return;
    onMissed();
  }
}
