import { delay } from '@kernel/internal';
import {
  checkFunctions,
  checkProvider,
  KernelError,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
} from '@kernel/protocol';
import { numberOption } from './number-option.ts';
import { wrapUnary } from './wrap-unary.ts';

/** How often a reply that broke off is requested again. */
export interface TurnRetryOptions {
  /** The most times that one reply is requested again. Default 1. */
  readonly maxRetries?: number | undefined;
  /** The wait before each, in milliseconds. Default 0. */
  readonly backoffMs?: number | undefined;
  /** Called before a reply is requested again, with the error that broke it off. Must not throw. */
  readonly onRetry?: ((error: KernelError) => void) | undefined;
}

/**
 * Requests a reply again if it broke off after it had begun: a broken connection, a timeout, a stream that was cut. What was already emitted is
 * withdrawn by a `reply-withdrawn` event, and the same request is sent again. No call of a broken reply has run, since calls run once their reply is
 * whole; and what ran in earlier turns is in the request with its results.
 *
 * Failures before the first event are left to `withRetry`, inside. The vendor may charge for the withdrawn part; its tokens are not reported. Whole replies (`stream: false`), embeddings and transcripts pass through.
 */
export function withTurnRetry(provider: Provider, options: TurnRetryOptions = {}): Provider {
  checkProvider('withTurnRetry', provider);
  checkFunctions('withTurnRetry', { onRetry: options.onRetry });
  const maxRetries = numberOption('withTurnRetry', 'maxRetries', options.maxRetries, 1, 0);
  const backoffMs = numberOption('withTurnRetry', 'backoffMs', options.backoffMs, 0, 0);
  return {
    name: provider.name,
    stream: (request) => streamAgain(provider, request, { maxRetries, backoffMs, onRetry: options.onRetry }),
    ...wrapUnary(provider),
  };
}

async function* streamAgain(
  provider: Provider,
  request: ProviderRequest,
  { maxRetries, backoffMs, onRetry }: TurnRetryOptions & { maxRetries: number; backoffMs: number },
): AsyncGenerator<ProviderEvent, void> {
  for (let retry = 1; ; retry += 1) {
    let hasBegun = false;
    try {
      for await (const event of provider.stream(request)) {
        hasBegun = true;
        yield event;
        if (event.type === 'message-end') return;
      }
      return;
    } catch (error) {
      const isOver = retry > maxRetries || !hasBegun || request.signal?.aborted === true;
      if (isOver || !KernelError.is(error) || !error.retryable) throw error;
      onRetry?.(error);
      yield { type: 'reply-withdrawn', code: error.code, message: error.message };
      if (backoffMs > 0) await delay(backoffMs, request.signal);
    }
  }
}
