import { delay } from '@kernel/internal';

const FIRST_MS = 50;
const MAX_MS = 2_000;

/** Waits before a retry, twice as long each time. Returns false if the signal aborted instead. */
export async function retryDelay(retriesSoFar: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(Math.min(FIRST_MS * 2 ** retriesSoFar, MAX_MS), signal);
    return true;
  } catch {
    return false;
  }
}
