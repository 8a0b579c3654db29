import { delay } from '@kernel/internal';

/** Settles like `work`, or rejects with the error of `late` after `ms`. `work` itself continues; if it rejects later, that is ignored. */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  const settled = new AbortController();
  const limit = delay(ms, settled.signal).then(() => {
    throw late();
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    settled.abort();
  }
}
