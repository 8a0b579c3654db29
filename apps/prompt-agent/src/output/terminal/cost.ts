import type { TokenPrices } from '@kernel/agent/config';
import type { Usage } from '@kernel/protocol';
import { costOf } from '@kernel/providers';

/** Returns a cost as text, such as `cost: 0.0123`; `undefined` without prices. */
export function costNote(usage: Usage, prices: TokenPrices | undefined): string | undefined {
  if (prices === undefined) return undefined;
  const cost = costOf(usage, prices);
  return `cost: ${cost >= 1 ? cost.toFixed(2) : cost.toFixed(4)}`;
}
