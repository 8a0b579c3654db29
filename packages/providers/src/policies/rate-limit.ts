import type { Provider, ProviderRequest, Usage } from '@kernel/protocol';
import { openStream } from './open-stream.ts';
import { numberOption } from './number-option.ts';
import { createQueue } from './rate-queue.ts';
import { tapStream } from './tap-stream.ts';
import { wrapAsks } from './wrap-unary.ts';

/** How much may be asked in any 60 seconds. */
export interface RateLimitOptions {
  /** Default: no limit. */
  readonly requestsPerMinute?: number | undefined;
  /** Input and output together. Default: no limit. */
  readonly tokensPerMinute?: number | undefined;
  /** Guesses a request's tokens before they are known; the reply's usage takes its place. Default: its characters by four. */
  readonly estimateTokens?: ((request: ProviderRequest) => number) | undefined;
}

/**
 * Holds requests back so that no 60 seconds see more than the limits: first come, first served, in one queue for streams,
 * embeddings and transcriptions. A request that is larger than the whole token limit goes alone. An abort leaves the queue
 * at once; an empty queue has no timer.
 */
export function withRateLimit(provider: Provider, options: RateLimitOptions): Provider {
  const tokensPerMinute = numberOption('withRateLimit', 'tokensPerMinute', options.tokensPerMinute, Infinity, 1);
  const queue = createQueue({
    requests: numberOption('withRateLimit', 'requestsPerMinute', options.requestsPerMinute, Infinity, 1),
    tokens: tokensPerMinute,
  });
  const countsTokens = tokensPerMinute !== Infinity;
  const estimate = options.estimateTokens ?? ((request) => tokensOf(request.messages, request.tools));

  return {
    name: provider.name,
    stream: (request) =>
      openStream(request.signal, async (opening) => {
        const turn = await queue.enter(countsTokens ? estimate(request) : 0, opening.signal);
        const events = provider.stream(request);
        if (!countsTokens) return opening.first(events);
        return opening.first(
          tapStream(events, {
            onEvent(event) {
              if (event.type === 'message-end' && event.usage !== undefined) turn.correct(sum(event.usage));
            },
          }),
        );
      }),
    ...wrapAsks(provider, {
      async embed(ask, request) {
        const turn = await queue.enter(countsTokens ? tokensOf(request.input) : 0, request.signal);
        const result = await ask(request);
        if (result.usage !== undefined) turn.correct(sum(result.usage));
        return result;
      },
      async transcribe(ask, request) {
        await queue.enter(0, request.signal);
        return ask(request);
      },
    }),
  };
}

function sum(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens;
}

function tokensOf(...values: readonly unknown[]): number {
  let characters = 0;
  for (const value of values) if (value !== undefined) characters += JSON.stringify(value).length;
  return Math.ceil(characters / 4);
}
