import { delay } from '@kernel/internal';
import type { Client } from '@modelcontextprotocol/client';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;

/**
 * Subscribes to changes of the list of tools, and again whenever the subscription ends, with a pause that doubles; `onSubscribed` is called each time, since
 * nobody knows what has changed before. For servers of 2026-07-28; older ones send their changes unasked. Ends with the signal. Never rejects.
 */
export async function subscribeToList(client: Client, signal: AbortSignal, onSubscribed: () => void): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const startedMs = performance.now();
    try {
      const subscription = await client.listen({ toolsListChanged: true }, { signal });
      onSubscribed();
      if ((await subscription.closed) === 'local') return;
    } catch {
      // It may be unable to; the list is loaded again when it is too old, or on the next connection.
    }
    if (performance.now() - startedMs > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
    await delay(pauseMs, signal).catch(() => {}); // the signal ends the loop
  }
}
