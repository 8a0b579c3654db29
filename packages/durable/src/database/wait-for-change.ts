import type { ChangeKind, Changes } from './changes.ts';
import { closedError } from './database.ts';

export function createChangeWaiter(changes: Changes) {
  const rejectAll = new Set<() => void>();
  return {
    /**
     * Resolves to what `check` returns, once that is not undefined: it is asked again after each change of the kind `least` or more. Rejects with what
     * `check` throws, with the reason of the signal, and with `STORE_FAILED` once the journal is closed.
     */
    until: <T>(check: () => T | undefined, signal: AbortSignal | undefined, least: ChangeKind) =>
      new Promise<T>((resolve, reject) => {
        const end = (settle: () => void): void => {
          unsubscribe();
          rejectAll.delete(close);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        const abort = (): void => end(() => reject(signal?.reason));
        const close = (): void => end(() => reject(closedError()));
        const look = (): void => {
          try {
            const found = check();
            if (found !== undefined) end(() => resolve(found));
          } catch (error) {
            end(() => reject(error));
          }
        };
        const unsubscribe = changes.subscribe((kind) => {
          if (kind !== 'progress' || least === 'progress') look();
        });
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        rejectAll.add(close);
        look();
      }),
    close: (): void => {
      for (const close of rejectAll) close();
    },
  };
}
