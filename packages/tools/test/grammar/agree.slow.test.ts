import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { agreement } from './agreement.ts';
import { gbnfMatcher } from './gbnf-matcher.ts';

test('on random schemas, valid values in declared order are accepted, and what the validator rejects is rejected', async () => {
  verifies('grammar.gbnf.agree');
  const seeds = Array.from({ length: 600 }, (_, seed) => seed);
  const result = await agreement(seeds, gbnfMatcher);
  expect(result.faults.slice(0, 3)).toEqual([]);
  expect(result.schemas).toBeGreaterThan(400);
  expect(result.accepted).toBeGreaterThan(1_500);
  expect(result.refused).toBeGreaterThan(5_000);
});
