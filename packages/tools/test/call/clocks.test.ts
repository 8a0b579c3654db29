import { type ToolContext, errorResult, silentResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCapabilities } from '../../src/capabilities.ts';
import { createRegistry } from '../../src/index.ts';
import { codeAndOutcome, simple, wait } from '../support.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<never> => new Promise(() => {});
/** How long a handler that was stopped has to settle. */
const GRACE_MS = 20;
const NO_LIMIT = [0, Infinity, 2 ** 31, Number.MAX_VALUE];

test('without any option a handler is abandoned after 30 seconds, and not before', async () => {
  verifies('tools.execute.timeout');
  const registry = createRegistry([simple('stuck', {}, forever)]);
  let ended = false;
  const running = registry.execute('stuck').finally(() => (ended = true));
  await vi.advanceTimersByTimeAsync(29_999);
  expect(ended).toBe(false);
  await vi.advanceTimersByTimeAsync(1 + GRACE_MS);
  expect(ended).toBe(true);
  expect((await running).forLLM).toContain('did not finish within 30000 ms');
});

test('a handler has time to stop after an abort, and the call ends within 50 ms of it', async () => {
  verifies('tools.execute.abort');
  const registry = createRegistry([
    simple('stuck', {}, forever),
    simple('tidy', {}, async (_, { signal }: ToolContext) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
      await wait(10);
      throw signal.reason;
    }),
  ]);
  const stop = new AbortController();
  const outcomes: string[] = [];
  for (const name of ['stuck', 'tidy']) {
    void registry
      .execute(name, {}, { signal: stop.signal })
      .then((result) => outcomes.push(`${name} ${codeAndOutcome(result)}`));
  }
  await vi.advanceTimersByTimeAsync(1);
  stop.abort();
  await vi.advanceTimersByTimeAsync(10);
  expect(outcomes).toEqual(['tidy TOOL_CANCELLED cancelled']);
  await vi.advanceTimersByTimeAsync(40);
  expect(outcomes).toEqual(['tidy TOOL_CANCELLED cancelled', 'stuck TOOL_CANCELLED abandoned']);
});

test.each(NO_LIMIT)(
  'a timeout of %d is no limit, for the registry, the tool, the call and the wait for a permit',
  async (timeoutMs) => {
    verifies('tools.clocks');
    const slow = (): Promise<string> => wait(60_000).then(() => 'late');
    const registry = createRegistry(
      [simple('plain', {}, slow), simple('own', {}, slow, { timeoutMs }), simple('write', { effect: 'write' }, slow)],
      { timeoutMs },
    );
    const strict = createRegistry([simple('call', {}, slow)], { timeoutMs: 5 });
    const results = [
      registry.execute('plain'),
      registry.execute('own'),
      registry.execute('write'),
      registry.execute('write'),
      strict.execute('call', {}, { timeoutMs }),
    ];
    await vi.advanceTimersByTimeAsync(120_000);
    expect((await Promise.all(results)).map((result) => result.forLLM)).toEqual(results.map(() => 'late'));
  },
);

test.each(NO_LIMIT)('a timeout of %d is no limit for the check of a capability', async (timeoutMs) => {
  verifies('tools.clocks');
  const capabilities = createCapabilities({
    checks: [() => wait(60_000).then(() => true)],
    timeoutMs,
    ttlMs: Infinity,
  });
  const present = capabilities.has('git');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await present).toBe(true);
});

test.each([-1, Number.NaN, '5'])('a clock of %j is refused', (timeoutMs) => {
  verifies('tools.clocks');
  const invalid = { timeoutMs } as never;
  expect(() => createRegistry([], invalid)).toThrow('timeoutMs must be a number of at least 0');
  expect(() => simple('a', {}, forever, invalid)).toThrow('timeoutMs must be a number of at least 0');
  expect(() => createCapabilities(invalid)).toThrow('timeoutMs must be a number of at least 0');
  expect(() => createCapabilities({ ttlMs: timeoutMs } as never)).toThrow('ttlMs must be a number of at least 0');
});

test('a result says itself what the user sees: silent, and an empty text, arrive unchanged', async () => {
  verifies('result.wrap');
  const results = [
    silentResult('quiet'),
    { forLLM: 'a', forUser: '' },
    { forLLM: 'a', forUser: '', silent: true },
    { forLLM: 'a', forUser: 'shown', silent: false },
    { ...errorResult('b'), forUser: '', silent: true },
  ];
  const registry = createRegistry(
    results.map((result, index) => simple(`t${index}`, {}, () => result)),
    {
      secrets: ['a secret'],
      resultLimit: 100,
    },
  );
  const returned = await Promise.all(results.map((_, index) => registry.execute(`t${index}`)));
  expect(returned).toStrictEqual(results);
});
