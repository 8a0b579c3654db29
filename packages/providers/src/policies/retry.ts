import { delay, MAX_TIMER_MS } from '@kernel/internal';
import { checkProvider, KernelError, type Provider } from '@kernel/protocol';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';
import { wrapUnary } from './wrap-unary.ts';

/** When and how often a request is retried. */
export interface RetryOptions {
  /** The maximum number of retries. Default 3; 0 means a single attempt, `Infinity` no maximum. */
  readonly maxRetries?: number | undefined;
  /** The wait before the first retry. Default 1 s. */
  readonly initialBackoffMs?: number | undefined;
  /** The longest wait, before jitter. Default 30 s. No wait is longer than a timer can be, 24.8 days. */
  readonly maxBackoffMs?: number | undefined;
  /** The factor by which each wait grows. Default 2. */
  readonly multiplier?: number | undefined;
  /** Whether each wait is randomly up to 25 % longer or shorter. Default true. */
  readonly jitter?: boolean | undefined;
  /** Called before the wait for each retry. Must not throw. */
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** Returns a number from 0 to 1 for the jitter. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}

/** A retry that is about to be made. */
export interface Retry {
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** The wait before it. */
  readonly waitMs: number;
  /** The error of the previous attempt. */
  readonly error: KernelError;
}

const JITTER = 0.25;
const MAX_REQUESTED_MS = 60_000;

/**
 * Retries requests that failed for a reason that may pass: 408, 409, 429, any status from 500, a broken connection and a timeout, unless
 * the server forbids it by `x-should-retry`; nothing else is retried. A wait that the server asks for, up to 60 s, replaces the backoff. A
 * stream is retried only before its first event. An abort ends a wait at once. The last error is rethrown unchanged. Wrap a provider once:
 * no other layer retries.
 *
 * @example
 * ```ts
 * import { createProvider, withRetry } from '@kernel/providers';
 *
 * const provider = withRetry(createProvider({ name: 'ollama' }), { maxRetries: 3 });
 * ```
 */
export function withRetry(provider: Provider, options: RetryOptions = {}): Provider {
  checkProvider('withRetry', provider);
  const attempt = createAttempt(options);
  return {
    name: provider.name,
    stream: (request) =>
      openStream(request.signal, (opening) => attempt(opening.signal, () => opening.first(provider.stream(request)))),
    ...wrapUnary(provider, (call, request) => attempt(request.signal, () => call(request))),
  };
}

type Attempt = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>;

function createAttempt(options: RetryOptions): Attempt {
  const number = numberOption.bind(undefined, 'withRetry');
  const maxRetries = number('maxRetries', options.maxRetries, 3, 0);
  const initialBackoffMs = number('initialBackoffMs', options.initialBackoffMs, 1000, 0);
  const maxBackoffMs = number('maxBackoffMs', options.maxBackoffMs, 30_000, 0);
  const multiplier = number('multiplier', options.multiplier, 2, 1);
  const { jitter = true, onRetry, random = Math.random } = options;

  function waitFor(error: KernelError, retry: number): number {
    const requested = error.data?.['retryAfterMs'];
    if (typeof requested === 'number' && requested >= 0 && requested <= MAX_REQUESTED_MS) return requested;
    // Without a first wait there is none: 0 times Infinity would be NaN.
    const grown = initialBackoffMs === 0 ? 0 : initialBackoffMs * multiplier ** (retry - 1);
    const wait = Math.min(grown, maxBackoffMs);
    // A timer fires at once for a longer delay.
    return Math.min(Math.round(jitter ? wait * (1 - JITTER + 2 * JITTER * random()) : wait), MAX_TIMER_MS);
  }

  return async (signal, work) => {
    for (let retry = 1; ; retry += 1) {
      try {
        return await work();
      } catch (error) {
        if (retry > maxRetries || signal?.aborted === true || !KernelError.is(error) || !error.retryable) throw error;
        const waitMs = waitFor(error, retry);
        onRetry?.({ retry, waitMs, error });
        await delay(waitMs, signal);
      }
    }
  };
}
