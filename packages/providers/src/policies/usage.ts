import { addUsage, type Provider, type Usage } from '@kernel/protocol';
import { tapStream } from './tap-stream.ts';
import { wrapAsks } from './wrap-unary.ts';

/** What a model's tokens cost, in any currency, per million. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input read from a cache. Default: as `input`. */
  readonly cachedInput?: number | undefined;
  /** Input written to a cache. Default: as `input`. */
  readonly cacheWrite?: number | undefined;
}

/** How usage is counted. */
export interface UsageOptions {
  /** Prices by model name: the name as it is asked for. Without the model's price there is no `cost`. */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** Hears each reply that tells its usage, before the reader gets its end. Must not throw. */
  readonly onUsage?: ((report: UsageReport) => void) | undefined;
}

/** The usage of one reply, and the sums so far. */
export interface UsageReport {
  readonly model: string;
  readonly usage: Usage;
  /** In the currency of the prices. */
  readonly cost?: number;
  readonly totals: UsageTotals;
}

/** Sums over all replies of a provider. */
export interface UsageTotals {
  /** Replies that told their usage. */
  readonly replies: number;
  readonly usage: Usage;
  /** The sum of what could be priced. */
  readonly cost: number;
  /** Replies of models without a price, while `prices` is given. */
  readonly unpriced: number;
}

/** A provider that counts. */
export interface MeteredProvider extends Provider {
  totals(): UsageTotals;
}

/** Sums the tokens, and with `prices` the money, of every reply that comes through. */
export function withUsage(provider: Provider, options: UsageOptions = {}): MeteredProvider {
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
    ...wrapAsks(provider, {
      async embed(ask, request) {
        const result = await ask(request);
        count(request.model, result.usage);
        return result;
      },
      transcribe: (ask, request) => ask(request),
    }),
  };
}

/** What these tokens cost at this price. Cached and cache-writing tokens are part of `inputTokens`. */
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
