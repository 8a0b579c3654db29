import { KernelError, type Provider, type Usage } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { agentAsTool, collect, run, type RunLimits, withCompaction } from '../../src/index.ts';
import { expectSound, toolsetOf, user } from '../support.ts';

const usage = { inputTokens: 10, outputTokens: 10 };
const LONG = 'z'.repeat(40_000);

/** A usage as a provider outside of TypeScript may report it. */
const reported = (fields: object): Usage => fields as Usage;

/** Runs a tool in each turn, with replies of one usage. */
function runWith(each: Usage | undefined, limits: RunLimits) {
  const script = Array.from({ length: 20 }, (): ScriptStep => ({ text: LONG, calls: [{ name: 'a' }], usage: each }));
  let count = 0;
  const tools = mockToolset([mockTool('a', () => `result ${(count += 1)}`)]);
  return collect(run({ provider: scriptedProvider(script), model: 'm', messages: [user('Go')], tools, limits }));
}

test.each([
  [{ inputTokens: 10 }],
  [{ outputTokens: null, inputTokens: 10 }],
  [{}],
  [{ inputTokens: null, outputTokens: null }],
])('what the usage %j does not report counts as the estimate, and the total is a number', async (fields) => {
  verifies('agent.limits.closed');
  const result = await runWith(reported(fields), { tokens: 25_000 });
  expect(result).toMatchObject({ reason: 'limit', limit: 'tokens' });
  expect(result.turns).toBeLessThan(4);
  expect(Number.isFinite(result.usage.inputTokens + result.usage.outputTokens)).toBe(true);
  expectSound(result.messages);
});

test('a usage of texts in place of numbers ends the run with an error that names the field', async () => {
  verifies('agent.limits.closed');
  const result = await runWith(reported({ inputTokens: '100', outputTokens: 5 }), { tokens: 1000 });
  expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
  expect(result.reason === 'error' && result.error.message).toContain('inputTokens is a string');
});

const COSTS: readonly (readonly [() => number, string])[] = [
  [() => -5, 'returned -5'],
  [() => Number.NaN, 'returned NaN'],
  [
    () => {
      throw new Error('no price');
    },
    'threw: no price',
  ],
];

test.each(COSTS)('a cost that is no amount ends the run with an error that names it', async (of, why) => {
  verifies('agent.limits.closed');
  const result = await runWith(usage, { cost: { max: 1, of } });
  expect(result).toMatchObject({ reason: 'error', error: { code: 'CONFIG_INVALID' } });
  expect(result.reason === 'error' && result.error.message).toContain(`limits.cost.of() ${why}`);
});

function runAgents(below: Usage | undefined, background = false) {
  const provider = scriptedProvider(Array.from({ length: 9 }, () => ({ text: LONG, usage: below })));
  const helper = agentAsTool({ name: 'helper', description: '', run: { provider, model: 'm' }, background });
  const outer = scriptedProvider(
    Array.from({ length: 9 }, (_, at) => ({
      calls: [{ name: 'helper', arguments: { task: `${at}` } }],
      usage,
      delayMs: 5,
    })),
  );
  const limits = { tokens: 5000 };
  return collect(run({ provider: outer, model: 'm', messages: [user('Go')], tools: toolsetOf([helper]), limits }));
}

test.each([false, true])(
  'an agent below whose usage is not reported counts by estimate (background: %s)',
  async (background) => {
    verifies('agent.limits.closed');
    const result = await runAgents(undefined, background);
    expect(result).toMatchObject({ reason: 'limit', limit: 'tokens' });
    expect(result.turns).toBeLessThan(4);
  },
);

test.each([
  { inputTokens: -50_000, outputTokens: 1 },
  { inputTokens: Number.NaN, outputTokens: 1 },
])(
  'a usage of an agent below that is no amount (%j) ends the run with an error, and no call is left without a result',
  async (below) => {
    verifies('agent.limits.closed');
    const result = await runAgents(below);
    expect(result).toMatchObject({ reason: 'error', turns: 1, error: { code: 'PROVIDER_PROTOCOL' } });
    expectSound(result.messages);
  },
);

const history = [
  user('a'.repeat(3200)),
  { role: 'assistant', content: [{ type: 'text', text: 'a'.repeat(3200) }] },
  user('a'.repeat(3200)),
  { role: 'assistant', content: [{ type: 'text', text: 'a'.repeat(3200) }] },
  user('q'.repeat(400)),
] as const;
const compacted = (provider: Provider): Provider => withCompaction(provider, { maxTokens: 3300, keepTokens: 110 });

test('a summary without a usage counts by estimate, also beside a reply that has one', async () => {
  verifies('agent.compaction.content');
  for (const summaryUsage of [undefined, reported({ outputTokens: 1 })]) {
    const provider = compacted(
      scriptedProvider([
        { text: 'sum', usage: summaryUsage },
        { text: 'x', usage },
      ]),
    );
    // oxlint-disable-next-line no-await-in-loop
    const result = await collect(run({ provider, model: 'm', messages: history }));
    expect(result.usage.inputTokens).toBeGreaterThan(3000);
  }
});

test('a summary whose usage is negative is not hidden in the usage of the reply', async () => {
  verifies('agent.limits.closed', 'agent.compaction.content');
  const script = [
    { text: 'sum', usage: { inputTokens: -3000, outputTokens: 0 } },
    { text: 'x', usage: { ...usage, inputTokens: 4000 } },
  ];
  const result = await collect(
    run({ provider: compacted(scriptedProvider(script)), model: 'm', messages: history, limits: { tokens: 1e6 } }),
  );
  expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
});

test('a summary whose reply failed counts with the next reply through the provider, once', async () => {
  verifies('agent.compaction.content');
  const error = new KernelError('PROVIDER_NETWORK', 'busy', { retryable: true });
  const provider = compacted(
    scriptedProvider([
      { text: 'sum', usage: { inputTokens: 5000, outputTokens: 5 } },
      { error },
      { text: 'x', usage },
      { text: 'y', usage },
    ]),
  );
  const results = [];
  // oxlint-disable-next-line no-await-in-loop
  for (let count = 0; count < 3; count += 1)
    results.push(await collect(run({ provider, model: 'm', messages: history })));
  expect(results.map((result) => [result.reason, result.usage.inputTokens])).toEqual([
    ['error', 0],
    ['done', 5010],
    ['done', 10],
  ]);
});
