import { onAbort } from '@kernel/internal';

interface Entry {
  readonly at: number;
  tokens: number;
}

interface Waiter {
  readonly tokens: number;
  admit(): void;
}

const WINDOW_MS = 60_000;

/** A sliding window. There is one timer while a request waits, and none otherwise. */
export function createRateQueue(limits: { readonly requests: number; readonly tokens: number }) {
  let log: Entry[] = [];
  let waiting: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** 0 means now. */
  function waitFor(tokens: number, now: number): number {
    log = log.filter((entry) => now - entry.at < WINDOW_MS);
    let requests = log.length;
    let spent = log.reduce((sum, entry) => sum + entry.tokens, 0);
    for (let expired = 0; ; expired += 1) {
      const fits = requests < limits.requests && (requests === 0 || spent + tokens <= limits.tokens);
      if (fits) {
        const lastExpired = log[expired - 1];
        return lastExpired === undefined ? 0 : lastExpired.at + WINDOW_MS - now;
      }
      const oldest = log[expired];
      if (oldest === undefined) return 0;
      requests -= 1;
      spent -= oldest.tokens;
    }
  }

  function admitNext(): void {
    clearTimeout(timer);
    timer = undefined;
    for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
      const wait = waitFor(head.tokens, Date.now());
      if (wait > 0) {
        timer = setTimeout(admitNext, wait);
        return;
      }
      waiting.shift();
      head.admit();
    }
  }

  return {
    acquire(tokens: number, signal: AbortSignal | undefined) {
      return new Promise<{ readonly correct: (actual: number) => void }>((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const removeListener = onAbort(signal, () => {
          waiting = waiting.filter((other) => other !== waiter);
          reject(signal?.reason);
          admitNext();
        });
        const waiter: Waiter = {
          tokens,
          admit() {
            removeListener();
            const entry: Entry = { at: Date.now(), tokens };
            log.push(entry);
            resolve({
              correct: (actual) => {
                entry.tokens = actual;
                admitNext();
              },
            });
          },
        };
        waiting.push(waiter);
        if (waiting.length === 1) admitNext();
      });
    },
  };
}
