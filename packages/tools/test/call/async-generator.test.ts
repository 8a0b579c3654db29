import { type ToolContext, userResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { codeAndOutcome, latch, simple, wait } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

/** Runs a tool with a handler and returns its result and progress. */
async function run(handler: (input: unknown, context: ToolContext) => unknown) {
  const progress: string[] = [];
  const registry = createRegistry([simple('a', {}, handler)]);
  const result = await registry.execute('a', {}, { onProgress: (update) => void progress.push(update) });
  return { result, progress };
}

test('each value that an async generator yields is reported as progress, and what it returns is the result', async () => {
  verifies('tools.result.generator');
  const { result, progress } = await run(async function* () {
    yield 'started';
    yield { done: 1, of: 2 };
    await wait(1);
    yield userResult('almost');
    yield undefined;
    return { total: 2 };
  });
  expect(progress).toEqual(['started', '{"done":1,"of":2}', 'almost']);
  expect(result).toEqual({ forLLM: '{"total":2}', data: { total: 2 } });
});

test('the last value that it yields is the result of an async generator that returns nothing', async () => {
  verifies('tools.result.generator');
  const last = await run(async function* () {
    yield 'one';
    yield userResult('two');
  });
  expect([last.result, last.progress]).toEqual([userResult('two'), ['one', 'two']]);
  // oxlint-disable-next-line no-empty-function
  expect((await run(async function* () {})).result).toEqual({ forLLM: 'done' });
});

test('an async generator that throws is TOOL_FAILED; one whose progress JSON cannot carry goes on; both run their finally block', async () => {
  verifies('tools.result.generator', 'tools.result.unreadable');
  let closed = 0;
  const thrown = await run(async function* () {
    try {
      yield 'one';
      throw new Error('disk is full');
    } finally {
      closed += 1;
    }
  });
  expect([thrown.result.forLLM, thrown.progress]).toEqual(['TOOL_FAILED: "a" failed: disk is full', ['one']]);
  const lossy = await run(async function* () {
    try {
      yield { size: 5n };
      yield 'two';
    } finally {
      closed += 1;
    }
  });
  expect(lossy.result).toEqual({ forLLM: 'two' });
  const told = expect.stringContaining('progress that cannot be read: a bigint at "/size"') as string;
  expect([lossy.progress, closed]).toEqual([[told, 'two'], 2]);
});

test('an abort calls return() of an async generator: its finally block runs, and nothing after it', async () => {
  verifies('tools.result.generator', 'tools.execute.abort');
  const steps: string[] = [];
  const stop = new AbortController();
  const registry = createRegistry([
    simple('a', {}, async function* () {
      try {
        for (let step = 1; ; step += 1) {
          // oxlint-disable-next-line no-await-in-loop
          await wait(1);
          yield `step ${step}`;
        }
      } finally {
        steps.push('closed');
      }
    }),
  ]);
  const result = await registry.execute(
    'a',
    {},
    {
      signal: stop.signal,
      onProgress(update) {
        steps.push(update);
        if (update === 'step 2') stop.abort();
      },
    },
  );
  expect(steps).toEqual(['step 1', 'step 2', 'closed']);
  expect(codeAndOutcome(result)).toBe('TOOL_CANCELLED cancelled');
  expect(result.forLLM).toContain('cancelled and stopped');
  expect(registry.abandoned).toBe(0);
});

test('a timeout calls return() of an async generator, which counts as abandoned until it has closed', async () => {
  verifies('tools.result.generator', 'tools.execute.timeout.enforced');
  const { promise, release } = latch();
  let closed = false;
  const registry = createRegistry([
    simple(
      'a',
      {},
      async function* () {
        try {
          yield 'one';
          await promise;
          yield 'two';
        } finally {
          closed = true;
        }
      },
      { timeoutMs: 10 },
    ),
  ]);
  const progress: string[] = [];
  const result = await registry.execute('a', {}, { onProgress: (update) => void progress.push(update) });
  expect([codeAndOutcome(result), registry.abandoned, closed]).toEqual(['TOOL_TIMEOUT timeout', 1, false]);
  release();
  await wait(1);
  expect([registry.abandoned, closed, progress]).toEqual([0, true, ['one']]);
});
