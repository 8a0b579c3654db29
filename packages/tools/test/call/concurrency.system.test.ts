import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry, defineTool } from '../../src/index.ts';
import { latch, simple, wait } from '../support.ts';

test('a call that times out keeps its permit until its handler has settled; a waiting call ends by its own timeout', async () => {
  verifies('tools.execute.concurrency', 'tools.execute.timeout.enforced');
  const { promise, release } = latch();
  let running = 0;
  let most = 0;
  const registry = createRegistry([
    simple(
      'one',
      { effect: 'write' },
      async ({ hang }) => {
        running += 1;
        most = Math.max(most, running);
        await (hang === true ? promise : wait(0));
        running -= 1;
        return 'ok';
      },
      { timeoutMs: 20 },
    ),
  ]);
  const [first, second] = await Promise.all([registry.execute('one', { hang: true }), registry.execute('one')]);
  expect([first.code, second.code, second.outcome]).toEqual(['TOOL_TIMEOUT', 'TOOL_TIMEOUT', 'timeout']);
  expect(second.forLLM).toContain('has not run');
  const third = await registry.execute('one');
  expect(third.forLLM).toContain('an earlier call that was abandoned is still running');
  expect(KernelError.is(third.error) && third.error.data).toMatchObject({ timeout: 'queue' });
  const fourth = registry.execute('one', {}, { timeoutMs: 60_000 });
  release();
  expect((await fourth).forLLM).toBe('ok');
  expect([most, registry.abandoned]).toEqual([1, 0]);
});

test('an aborted call that goes on keeps the permit of its tool, but not that of the registry', async () => {
  verifies('tools.execute.concurrency', 'tools.execute.abort');
  const { promise, release } = latch();
  const registry = createRegistry([simple('w', { effect: 'write' }, () => promise), simple('free')], {
    concurrency: 1,
  });
  const stop = new AbortController();
  const first = registry.execute('w', {}, { signal: stop.signal });
  await wait(1);
  stop.abort();
  expect((await first).outcome).toBe('abandoned');
  expect((await registry.execute('free')).forLLM).toBe('free');
  expect((await registry.execute('w', {}, { timeoutMs: 20 })).forLLM).toContain('abandoned is still running');
  release();
  await wait(1);
  expect((await registry.execute('w', {}, { timeoutMs: 60_000 })).isError).toBeUndefined();
});

test('nothing is retried while an earlier attempt still runs', async () => {
  verifies('tools.execute.retryable', 'tools.execute.timeout.enforced');
  let started = 0;
  const registry = createRegistry([
    simple(
      'stuck',
      { effect: 'read' },
      () => {
        started += 1;
        return new Promise(() => {});
      },
      { retries: 3, timeoutMs: 10 },
    ),
  ]);
  expect((await registry.execute('stuck')).code).toBe('TOOL_TIMEOUT');
  expect(started).toBe(1);
});

test('an asynchronous validation that is abandoned is counted, and its end is reported', async () => {
  verifies('tools.execute.timeout.enforced');
  const { promise, release } = latch();
  const input = z.object({ a: z.string().refine(() => promise.then(() => true)) });
  const registry = createRegistry([
    defineTool({ name: 't', description: '', input, handler: () => 'ok', timeoutMs: 10 }),
  ]);
  const late: unknown[] = [];
  registry.onEvent((event) => event.type === 'call-late' && late.push(event.kind));
  expect((await registry.execute('t', { a: 'x' })).code).toBe('TOOL_TIMEOUT');
  expect(registry.abandoned).toBe(1);
  release();
  await wait(5);
  expect([registry.abandoned, late]).toEqual([0, ['abandoned']]);
});
