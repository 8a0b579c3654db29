import { verifies } from '@kernel/testing';
import { expect, test, describe } from 'vitest';
import {
  type BindingOptions,
  type ToolBinding,
  type ToolRegistry,
  createRegistry,
  defineTool,
} from '../../src/index.ts';
import { latch, simple, wait } from '../support.ts';
import { KernelError } from '@kernel/protocol';
import { z } from 'zod';
import { skipTime } from '../../../../test/setup/skip-time.ts';

/** A tool that tells how many of its calls ran at once, in all and per key. */
function counted(
  name: string,
  effect: 'read' | 'write' | 'external',
  options: BindingOptions = {},
): { readonly binding: ToolBinding; readonly most: () => number; readonly order: string[] } {
  let now = 0;
  let most = 0;
  const order: string[] = [];
  const handler = async (input: { readonly id?: unknown }): Promise<string> => {
    now += 1;
    most = Math.max(most, now);
    order.push(String(input.id));
    await wait(5);
    now -= 1;
    return name;
  };
  return { binding: simple(name, { effect }, handler, options), most: () => most, order };
}

const runAll = (
  registry: ReturnType<typeof createRegistry>,
  name: string,
  inputs: readonly object[],
): Promise<unknown> => Promise.all(inputs.map((input) => registry.execute(name, input)));
const ids = Array.from({ length: 8 }, (_, id) => ({ id }));

test('calls of a tool run in parallel up to its limit, in order of arrival', async () => {
  verifies('tools.execute.concurrency');
  const free = counted('free', 'external');
  const two = counted('two', 'read', { concurrency: 2 });
  const one = counted('one', 'read', { concurrency: 1 });
  const registry = createRegistry([free.binding, two.binding, one.binding]);
  await Promise.all([runAll(registry, 'free', ids), runAll(registry, 'two', ids), runAll(registry, 'one', ids)]);
  expect([free.most(), two.most(), one.most()]).toEqual([8, 2, 1]);
  expect(one.order).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
  expect(two.order).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
});

test('a write tool runs one call at a time: per key if it has one, else in total', async () => {
  verifies('tools.execute.concurrency');
  const plain = counted('plain', 'write');
  const keyed = counted('keyed', 'write', { concurrency: { key: (input: { readonly file: string }) => input.file } });
  const wide = counted('wide', 'write', { concurrency: 4 });
  const registry = createRegistry([plain.binding, keyed.binding, wide.binding]);
  const files = ids.map(({ id }) => ({ id, file: `f${id % 4}` }));
  await Promise.all([runAll(registry, 'plain', ids), runAll(registry, 'keyed', files), runAll(registry, 'wide', ids)]);
  expect([plain.most(), keyed.most(), wide.most()]).toEqual([1, 4, 4]);
});

test('calls whose key function throws run one at a time', async () => {
  verifies('tools.execute.concurrency');
  const broken = counted('broken', 'read', {
    concurrency: {
      max: 1,
      key: () => {
        throw new Error('no key');
      },
    },
  });
  await runAll(createRegistry([broken.binding]), 'broken', ids);
  expect(broken.most()).toBe(1);
});

test('the registry’s own limit applies to all tools, and a tool at its limit holds up no other', async () => {
  verifies('tools.execute.concurrency');
  const { promise, release } = latch();
  const registry = createRegistry(
    [simple('slow', { effect: 'write' }, () => promise), simple('quick', { effect: 'read' })],
    { concurrency: 2 },
  );
  const slow = [registry.execute('slow'), registry.execute('slow')];
  expect((await registry.execute('quick')).forLLM).toBe('quick');
  release();
  await Promise.all(slow);
  const some = counted('some', 'read');
  const all = createRegistry([some.binding], { concurrency: 3 });
  await runAll(all, 'some', ids);
  expect(some.most()).toBe(3);
});

test('an aborted call leaves the queue at once and the next one moves up', async () => {
  verifies('tools.execute.concurrency', 'tools.execute.abort');
  const { promise, release } = latch();
  const entered: unknown[] = [];
  const registry = createRegistry([
    simple(
      'one',
      {},
      ({ id }) => {
        entered.push(id);
        return promise;
      },
      { concurrency: 1 },
    ),
  ]);
  const stop = new AbortController();
  const first = registry.execute('one', { id: 1 });
  const second = registry.execute('one', { id: 2 }, { signal: stop.signal });
  const third = registry.execute('one', { id: 3 });
  stop.abort();
  expect((await second).forLLM).toContain('cancelled before it started');
  release();
  await Promise.all([first, third]);
  expect(entered).toEqual([1, 3]);
});

test('a tool that calls itself, or another one for the only permit, gets an error instead of a deadlock', async () => {
  verifies('tools.execute.concurrency');
  const inner: (string | undefined)[] = [];
  const nested = async (name: string): Promise<string> => {
    const result = await registry.execute(name);
    inner.push(result.code);
    return result.forLLM;
  };
  const registry = createRegistry(
    [
      simple('self', { effect: 'write' }, () => nested('self')),
      simple('through', {}, () => nested('self')),
      simple('write', { effect: 'write' }, () => nested('through')),
    ],
    { timeoutMs: 0 },
  );
  expect((await registry.execute('self')).forLLM).toContain('would wait for a call that is waiting for it');
  await registry.execute('write');
  expect(inner).toEqual(['TOOL_UNAVAILABLE', 'TOOL_UNAVAILABLE', undefined, undefined]);
  const one: ToolRegistry = createRegistry([simple('inner'), simple('outer', {}, () => one.execute('inner'))], {
    concurrency: 1,
  });
  expect((await one.execute('outer')).code).toBe('TOOL_UNAVAILABLE');
  // Work that goes on after its call holds no permit any more.
  let later: Promise<unknown> | undefined;
  const after = createRegistry([
    simple('again', { effect: 'write' }, ({ n }) => {
      if (n === 1) later = wait(5).then(() => after.execute('again', { n: 2 }));
      return 'ok';
    }),
  ]);
  await after.execute('again', { n: 1 });
  expect(await later).toMatchObject({ forLLM: 'ok' });
});

test('thousands of mixed calls all end', async () => {
  verifies('tools.execute.concurrency');
  const tools = Array.from({ length: 5 }, (_, index) =>
    simple(`t${index}`, { effect: index % 2 === 0 ? 'write' : 'read' }, () => wait(0), {
      concurrency: { max: 1 + (index % 3), key: ({ k }: { readonly k: string }) => k },
    }),
  );
  const mixed = createRegistry(tools, { concurrency: 7 });
  const results = await Promise.all(
    Array.from({ length: 3000 }, (_, index) => mixed.execute(`t${index % 5}`, { k: `${index % 3}` })),
  );
  expect(results.every((result) => result.isError !== true)).toBe(true);
});

test('a run signal that carries thousands of calls keeps no listener afterwards', async () => {
  verifies('tools.execute.abort');
  const stop = new AbortController();
  let listeners = 0;
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  const registry = createRegistry([simple('a', {}, () => wait(1)), simple('b', { effect: 'write' }, () => wait(0))]);
  const running = Array.from({ length: 500 }, (_, index) =>
    registry.execute(index % 20 === 0 ? 'b' : 'a', {}, { signal }),
  );
  await wait(0);
  expect(listeners).toBeLessThanOrEqual(1);
  await Promise.all(running);
  expect(listeners).toBe(0);
});

describe('in virtual time', () => {
  skipTime();

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
});
