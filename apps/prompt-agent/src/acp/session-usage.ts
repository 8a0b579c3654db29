import type { ModelConfig, TokenPrices } from '@kernel/agent/config';
import type { Usage } from '@kernel/protocol';
import { costOf } from '@kernel/providers';
import type { SessionUsage } from '../sessions/open-session.ts';
import type { SendUpdate } from './view/show-turn.ts';

interface SessionUsageOptions {
  /** What the session had used when it was opened; undefined for a new one. */
  readonly before: SessionUsage | undefined;
  /** Has the size of the model's context. Where it is not known nothing is told, since clients divide by it. */
  readonly model: Pick<ModelConfig, 'contextTokens' | 'prices'>;
  /** Prices that count instead of those of the model. */
  readonly prices: TokenPrices | undefined;
  readonly send: SendUpdate;
}

/** Tells an editor what the context of the model holds, and what the session has cost, with what it had cost before it was opened here. */
export function createSessionUsage({ before, model, prices = model.prices, send }: SessionUsageOptions) {
  const { contextTokens: size } = model;
  let lastReply = before?.lastReply;
  return {
    onReply: (usage: Usage | undefined): void => void (lastReply = usage),
    /** Sends it, if there was a reply. `total` is what was used since the session was opened. */
    async tell(total: Usage = { inputTokens: 0, outputTokens: 0 }): Promise<void> {
      if (size === undefined || lastReply === undefined) return;
      const used = lastReply.inputTokens + lastReply.outputTokens;
      const cost = prices && { amount: (before?.cost ?? 0) + costOf(total, prices), currency: 'USD' };
      await send({ sessionUpdate: 'usage_update', used, size, ...(cost !== undefined && { cost }) });
    },
  };
}
