import { onAbort } from '@kernel/internal';

const ABORT_GRACE_MS = 30;

/** Resolves to what a store resolves to. A store that does not answer within 30 ms after an abort counts as one that failed. */
export async function untilStored<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const removeAbortListener = onAbort(signal, () => {
    timer = setTimeout(() => reject(new Error('it did not answer, and the run was aborted.')), ABORT_GRACE_MS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    removeAbortListener();
    clearTimeout(timer);
  }
}
