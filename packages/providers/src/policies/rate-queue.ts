/** A place in the queue that has come up. */
export interface Turn {
  /** Puts the true number of tokens in the place of the guess. */
  correct(tokens: number): void;
}

/** Lets callers through, in order. */
export interface RateQueue {
  /** Resolves when it may go; rejects with the signal's reason on abort. */
  enter(tokens: number, signal: AbortSignal | undefined): Promise<Turn>;
}

interface Entry {
  readonly at: number;
  tokens: number;
}

interface Waiter {
  readonly tokens: number;
  go(): void;
}

const WINDOW_MS = 60_000;

/** Creates a queue over a sliding window of 60 seconds. It has one timer while somebody waits, none else. @internal */
export function createQueue(limits: { readonly requests: number; readonly tokens: number }): RateQueue {
  let log: Entry[] = [];
  let waiting: Waiter[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** How long until so many tokens may go; 0: now. */
  function waitFor(tokens: number, now: number): number {
    log = log.filter((entry) => now - entry.at < WINDOW_MS);
    let requests = log.length;
    let spent = log.reduce((sum, entry) => sum + entry.tokens, 0);
    for (let at = 0; ; at += 1) {
      const fits = requests < limits.requests && (requests === 0 || spent + tokens <= limits.tokens);
      if (fits) {
        const before = log[at - 1];
        return before === undefined ? 0 : before.at + WINDOW_MS - now;
      }
      const oldest = log[at];
      if (oldest === undefined) return 0;
      requests -= 1;
      spent -= oldest.tokens;
    }
  }

  function pump(): void {
    clearTimeout(timer);
    timer = undefined;
    for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
      const wait = waitFor(head.tokens, Date.now());
      if (wait > 0) {
        timer = setTimeout(pump, wait);
        return;
      }
      waiting.shift();
      head.go();
    }
  }

  return {
    enter(tokens, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const abort = (): void => {
          waiting = waiting.filter((other) => other !== waiter);
          reject(signal?.reason);
          pump();
        };
        const waiter: Waiter = {
          tokens,
          go() {
            signal?.removeEventListener('abort', abort);
            const entry: Entry = { at: Date.now(), tokens };
            log.push(entry);
            resolve({
              correct(actual) {
                entry.tokens = actual;
                pump();
              },
            });
          },
        };
        signal?.addEventListener('abort', abort, { once: true });
        waiting.push(waiter);
        if (waiting.length === 1) pump();
      });
    },
  };
}
