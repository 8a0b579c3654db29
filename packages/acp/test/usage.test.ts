import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { allowAll, deciding, give, permission, project, scripted } from './support.ts';

const used = (tokens: number) => ({ update: { sessionUpdate: 'usage_update', used: tokens, size: 200_000 } });
const TOLD = { end: 'end_turn', usage: { totalTokens: 15, inputTokens: 10, outputTokens: 5 } };

test('what a turn has used is counted once, also when there are changes and requests', async () => {
  verifies('acp.usage');
  const changes = { disk: { 'a.txt': 'two\n' } };
  const workspace = await project({ 'a.txt': 'one\n' });
  const { end } = await give(scripted({ workspace }), [changes, { say: 'x' }, TOLD], allowAll());
  expect(end.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  const asks = permission({ kind: 'other', title: 't' });
  const steps = [used(1000), asks, used(3000), asks, used(2000), { disk: { 'a.txt': 'three\n' } }];
  const { end: told } = await give(scripted({ workspace }), steps, allowAll());
  expect(told.usage).toMatchObject({ inputTokens: 3000, outputTokens: 0 });
});

test('what an agent has used until a failure, or a decision that comes later, is counted', async () => {
  verifies('acp.usage');
  const workspace = await project();
  const { end, result } = await give(scripted({ workspace }), [used(1000), { fail: 'no' }], allowAll());
  expect(end.usage).toMatchObject({ inputTokens: 1000 });
  expect(result?.forLLM).toContain('The agent "helper" reports: no.');
  const { approve } = deciding(() => ({ decision: 'later' }));
  const later = await give(scripted({ workspace }), [used(1000), permission({ kind: 'other', title: 't' })], {
    approve,
  });
  expect(later.end).toMatchObject({ reason: 'approval', usage: { inputTokens: 1000 } });
});

test.each([
  ['tokens', { tokens: 100 }],
  ['cost', { cost: { max: 1, of: ({ inputTokens }: { readonly inputTokens: number }) => inputTokens / 100 } }],
])(
  'an agent that is beyond its limit of %s is ended while it works, and its changes are asked about',
  async (name, limits) => {
    verifies('acp.usage');
    const workspace = await project({ 'a.txt': 'one\n' });
    const steps = [
      { disk: { 'a.txt': 'two\n' } },
      used(99),
      { say: 'going on' },
      used(5000),
      { forever: true } as const,
    ];
    const { approve, asked } = allowAll();
    const { result, end } = await give(scripted({ workspace, limits }), steps, { approve });
    expect(result?.isError).toBe(true);
    expect(result?.forLLM).toContain(`(limit: ${name})`);
    expect(end.usage).toMatchObject({ inputTokens: 5000 });
    expect(asked.map((call) => call.name)).toEqual(['apply_patch']);
    const { result: unchanged } = await give(scripted({ workspace, limits }), steps.slice(1), { approve });
    expect(unchanged?.forLLM).toContain(`(limit: ${name})`);
  },
);
