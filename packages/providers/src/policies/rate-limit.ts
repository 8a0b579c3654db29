import { checkProvider, type Provider, type ProviderRequest, type Usage } from '@kernel/protocol';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';
import { createRateQueue } from './rate-queue.ts';
import { tapStream } from './tap-stream.ts';
import { embedUsage, wrapUnary } from './wrap-unary.ts';

/** How much may be requested in any 60 seconds. */
export interface RateLimitOptions {
  /** The maximum number of requests. Default: no limit. */
  readonly requestsPerMinute?: number | undefined;
  /** The maximum number of tokens, input and output together. Default: no limit. */
  readonly tokensPerMinute?: number | undefined;
  /** Estimates a request's tokens before they are known; the reply's usage replaces the estimate. Default: its characters divided by four. */
  readonly estimateTokens?: ((request: ProviderRequest) => number) | undefined;
}

/**
 * Delays requests so that no 60 seconds exceed the limits: first come, first served, in one queue for streams, embeddings and
 * transcriptions. A request that is larger than the whole token limit runs alone. An abort leaves the queue at once; an empty queue has no
 * timer.
 */
export function withRateLimit(provider: Provider, options: RateLimitOptions): Provider {
  checkProvider('withRateLimit', provider);
  const tokensPerMinute = numberOption('withRateLimit', 'tokensPerMinute', options.tokensPerMinute, Infinity, 1);
  const queue = createRateQueue({
    requests: numberOption('withRateLimit', 'requestsPerMinute', options.requestsPerMinute, Infinity, 1),
    tokens: tokensPerMinute,
  });
  const countsTokens = tokensPerMinute !== Infinity;
  const estimate = options.estimateTokens ?? ((request) => estimateTokens(request.messages, request.tools));

  return {
    name: provider.name,
    stream: (request) =>
      openStream(request.signal, async (opening) => {
        const admission = await queue.acquire(countsTokens ? estimate(request) : 0, opening.signal);
        const events = provider.stream(request);
        if (!countsTokens) return opening.first(events);
        return opening.first(
          tapStream(events, {
            onEvent(event) {
              if (event.type === 'message-end' && event.usage !== undefined) admission.correct(totalOf(event.usage));
            },
          }),
        );
      }),
    ...wrapUnary(provider, async (call, request) => {
      const estimated = countsTokens && 'input' in request ? estimateTokens(request.input) : 0;
      const admission = await queue.acquire(estimated, request.signal);
      const result = await call(request);
      const usage = embedUsage(result);
      if (usage !== undefined) admission.correct(totalOf(usage));
      return result;
    }),
  };
}

function totalOf(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}

function estimateTokens(...values: readonly unknown[]): number {
  let characters = 0;
  for (const value of values) if (value !== undefined) characters += JSON.stringify(value).length;
  return Math.ceil(characters / 4);
}
