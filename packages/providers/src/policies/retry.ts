import { KernelError, type Provider } from '@kernel/protocol';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';
import { pause } from './pause.ts';
import { wrapAsks } from './wrap-unary.ts';

/** When and how often a request is tried again. */
export interface RetryOptions {
  /** Attempts after the first. Default 3; 0 means one attempt. */
  readonly maxRetries?: number | undefined;
  /** The wait before the second attempt. Default 1 s. */
  readonly initialBackoffMs?: number | undefined;
  /** The longest wait, before jitter. Default 30 s. */
  readonly maxBackoffMs?: number | undefined;
  /** How each wait grows from the one before. Default 2. */
  readonly multiplier?: number | undefined;
  /** Whether a wait is made up to 25 % longer or shorter, at random. Default true. */
  readonly jitter?: boolean | undefined;
  /** Hears of each further attempt before its wait. Must not throw. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** A number from 0 to 1 for the jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A further attempt that is about to be made. */
export interface Retry {
  /** Counted from 1: the first retry. */
  readonly retry: number;
  readonly waitMs: number;
  /** What the attempt before it failed with. */
  readonly error: KernelError;
}

const JITTER = 0.25;
const LONGEST_ASKED_MS = 60_000;

/**
 * Tries a request again that failed in a way that may pass: 408, 409, 429, every status from 500, a broken connection and a
 * clock that ran out, all unless the server says no by `x-should-retry`; other faults never. A wait that the server asks for,
 * up to 60 s, takes the place of the backoff. A stream is tried again only before its first event. An abort ends a wait at
 * once. The last error comes through as it is. Put it round a provider once: no other layer retries.
 */
export function withRetry(provider: Provider, options: RetryOptions = {}): Provider {
  const attempt = createAttempts(options);
  return {
    name: provider.name,
    stream: (request) =>
      openStream(request.signal, (opening) => attempt(opening.signal, () => opening.first(provider.stream(request)))),
    ...wrapAsks(provider, {
      embed: (ask, request) => attempt(request.signal, () => ask(request)),
      transcribe: (ask, request) => attempt(request.signal, () => ask(request)),
    }),
  };
}

type Attempts = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>;

function createAttempts(options: RetryOptions): Attempts {
  const number = numberOption.bind(undefined, 'withRetry');
  const maxRetries = number('maxRetries', options.maxRetries, 3, 0);
  const initial = number('initialBackoffMs', options.initialBackoffMs, 1000, 0);
  const longest = number('maxBackoffMs', options.maxBackoffMs, 30_000, 0);
  const multiplier = number('multiplier', options.multiplier, 2, 1);
  const { jitter = true, onRetry, random = Math.random } = options;

  function waitFor(error: KernelError, retry: number): number {
    const asked = error.data?.['retryAfterMs'];
    if (typeof asked === 'number' && asked >= 0 && asked <= LONGEST_ASKED_MS) return asked;
    const wait = Math.min(initial * multiplier ** (retry - 1), longest);
    return Math.round(jitter ? wait * (1 - JITTER + 2 * JITTER * random()) : wait);
  }

  return async (signal, work) => {
    for (let retry = 1; ; retry += 1) {
      try {
        return await work();
      } catch (error) {
        if (retry > maxRetries || signal?.aborted === true || !KernelError.is(error) || !error.retryable) throw error;
        const waitMs = waitFor(error, retry);
        onRetry?.({ retry, waitMs, error });
        await pause(waitMs, signal);
      }
    }
  };
}
