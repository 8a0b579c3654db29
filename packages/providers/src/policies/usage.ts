import { checkProvider, addUsage, type Provider, type Usage } from '@kernel/protocol';
import { tapStream } from './tap-stream.ts';
import { embedUsage, wrapUnary } from './wrap-unary.ts';

/** What a model's tokens cost per million, in any currency. */
export interface ModelPrice {
  /** The price of input tokens. */
  readonly input: number;
  /** The price of output tokens. */
  readonly output: number;
  /** The price of input tokens that are read from a cache. Default: that of `input`. */
  readonly cachedInput?: number | undefined;
  /** The price of input tokens that are written to a cache. Default: that of `input`. */
  readonly cacheWrite?: number | undefined;
}

/** How usage is counted. */
export interface UsageOptions {
  /** Prices by the model name of the request. Without a price there is no `cost`. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Called for each reply that reports its usage, before the consumer gets its end. Must not throw. */
  readonly onUsage?: ((report: UsageReport) => void) | undefined;
}

/** The usage of one reply, and the sums so far. */
export interface UsageReport {
  /** The model of the request. */
  readonly model: string;
  /** The tokens of this reply. */
  readonly usage: Usage;
  /** The cost, in the currency of the prices. */
  readonly cost?: number;
  /** The sums, including this reply. */
  readonly totals: UsageTotals;
}

/** Sums over all replies of a provider. */
export interface UsageTotals {
  /** Replies that reported their usage. */
  readonly replies: number;
  /** The sum of all tokens. */
  readonly usage: Usage;
  /** The cost of the replies whose model has a price. */
  readonly cost: number;
  /** Replies of models without a price, if there are prices. */
  readonly unpriced: number;
}

/** A provider that counts its usage. */
export interface ProviderWithUsage extends Provider {
  /** The sums so far. */
  totals(): UsageTotals;
}

/** Sums the tokens of every reply, and with `prices` their cost. */
export function withUsage(provider: Provider, options: UsageOptions = {}): ProviderWithUsage {
  checkProvider('withUsage', provider);
  const prices = new Map(Object.entries(options.prices ?? {}));
  let totals: UsageTotals = { replies: 0, usage: { inputTokens: 0, outputTokens: 0 }, cost: 0, unpriced: 0 };

  function count(model: string, usage: Usage | undefined): void {
    if (usage === undefined) return;
    const price = prices.get(model);
    const cost = price === undefined ? undefined : costOf(usage, price);
    totals = {
      replies: totals.replies + 1,
      usage: addUsage(totals.usage, usage),
      cost: totals.cost + (cost ?? 0),
      unpriced: totals.unpriced + (cost === undefined && prices.size > 0 ? 1 : 0),
    };
    options.onUsage?.({ model, usage, ...(cost === undefined ? {} : { cost }), totals });
  }

  return {
    name: provider.name,
    totals: () => totals,
    stream: (request) =>
      tapStream(provider.stream(request), {
        onEvent(event) {
          if (event.type === 'message-end') count(request.model, event.usage);
        },
      }),
    ...wrapUnary(provider, async (call, request) => {
      const result = await call(request);
      count(request.model, embedUsage(result));
      return result;
    }),
  };
}

/** The cost of these tokens at this price. Cached and cache-writing tokens are part of `inputTokens`. */
export function costOf(usage: Usage, price: ModelPrice): number {
  const { cachedInputTokens: cached = 0, cacheWriteTokens: written = 0 } = usage;
  const plain = Math.max(usage.inputTokens - cached - written, 0);
  const sum =
    plain * price.input +
    cached * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return sum / 1_000_000;
}
