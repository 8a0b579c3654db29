import { scriptedProvider } from '@kernel/testing';
import { expect, test } from 'vitest';
import { costOf, type UsageReport, withUsage } from '../../src/index.ts';
import { endOf, request } from '../support.ts';

const usage = { inputTokens: 1000, outputTokens: 100, cachedInputTokens: 400 };
const prices = { 'test-model': { input: 2, output: 10, cachedInput: 0.5 } };

test('tokens and cost of every reply are summed, and reported before the consumer gets the end', async () => {
  const seen: UsageReport[] = [];
  const provider = withUsage(
    scriptedProvider([
      { text: 'a', usage },
      { text: 'b', usage },
    ]),
    {
      prices,
      onUsage: (report) => seen.push(report),
    },
  );
  const told: number[] = [];
  for await (const event of provider.stream(request())) if (event.type === 'message-end') told.push(seen.length);
  expect(told).toEqual([1]);
  await endOf(provider.stream(request()));
  expect(seen[0]).toMatchObject({ model: 'test-model', usage, cost: 0.0024 });
  expect(provider.totals()).toEqual({
    replies: 2,
    usage: { inputTokens: 2000, outputTokens: 200, cachedInputTokens: 800 },
    cost: 0.0048,
    unpriced: 0,
  });
});

test('a model without a price is counted as such, whatever its name, and costs nothing', async () => {
  const provider = withUsage(scriptedProvider([{ text: 'a', usage }]), { prices });
  await endOf(provider.stream(request({ model: 'constructor' })));
  expect(provider.totals()).toMatchObject({ replies: 1, cost: 0, unpriced: 1 });
});

test('a reply without usage counts nothing; embeddings count', async () => {
  const provider = withUsage(
    scriptedProvider([{ text: 'a' }, { embeddings: [[1]], usage: { inputTokens: 7, outputTokens: 0 } }]),
  );
  await endOf(provider.stream(request()));
  await provider.embed?.({ model: 'm', input: 'x' });
  expect(provider.totals()).toMatchObject({ replies: 1, usage: { inputTokens: 7 }, unpriced: 0 });
});

test('cached and cache-writing tokens have their own price, and cost as input without one', () => {
  const all = { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 500_000, cacheWriteTokens: 250_000 };
  expect(costOf(all, { input: 4, output: 0 })).toBe(4);
  expect(costOf(all, { input: 4, output: 0, cachedInput: 1, cacheWrite: 5 })).toBe(0.5 + 1.25 + 1);
});
