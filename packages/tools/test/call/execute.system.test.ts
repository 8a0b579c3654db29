import { KernelError, errorResult, asyncResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { type RegistryEvent, createRegistry } from '../../src/index.ts';
import { simple, wait } from '../support.ts';
afterEach(() => void vi.useRealTimers());

const forever = (): Promise<never> => new Promise(() => {});

test('the timeout of a handler is the call’s, else the tool’s, else the registry’s, else 30 seconds', async () => {
  verifies('tools.execute.timeout');
  const registry = createRegistry([simple('own', {}, forever, { timeoutMs: 30 }), simple('plain', {}, forever)], {
    timeoutMs: 60,
  });
  const limitOf = async (name: string, timeoutMs?: number): Promise<unknown> => {
    const { error } = await registry.execute(name, {}, { timeoutMs });
    return KernelError.is(error) ? error.data?.['timeoutMs'] : undefined;
  };
  expect(await Promise.all([limitOf('own'), limitOf('plain'), limitOf('own', 10)])).toEqual([30, 60, 10]);
  const slow = createRegistry([simple('slow', {}, () => wait(40).then(() => 'late'), { timeoutMs: 1 })]);
  expect((await slow.execute('slow', {}, { timeoutMs: 0 })).forLLM).toBe('late');
  expect((await slow.execute('slow', {}, { timeoutMs: Infinity })).forLLM).toBe('late');
});

test('the strict form resolves to the result, throws the error of a failure, and the reason of an abort', async () => {
  verifies('tools.execute.orThrow', 'tools.execute.abort.throw', 'tools.errors.class');
  const registry = createRegistry([
    simple('ok'),
    simple('bad', {}, () => errorResult('broken')),
    simple('hangs', {}, forever),
  ]);
  expect(await registry.executeOrThrow('ok')).toEqual({ forLLM: 'ok' });
  await expect(registry.executeOrThrow('nothing')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  await expect(registry.executeOrThrow('bad')).rejects.toMatchObject({ code: 'TOOL_FAILED', message: 'broken' });
  const stop = new AbortController();
  const reason = new Error('enough');
  const running = registry.executeOrThrow('hangs', {}, { signal: stop.signal });
  stop.abort(reason);
  await expect(running).rejects.toBe(reason);
});

test('an async tool returns at once, and its late result is delivered once; further ones are only reported', async () => {
  verifies('tools.execute.async');
  const events: RegistryEvent[] = [];
  const registry = createRegistry([
    simple('job', {}, (_, given) => {
      setTimeout(() => {
        given.onComplete?.({ forLLM: 'finished' });
        given.onComplete?.({ forLLM: 'again' });
      }, 10);
      return asyncResult('started');
    }),
    simple('eager', {}, (_, given) => {
      given.onComplete?.({ forLLM: 'at once' });
      return asyncResult('started');
    }),
    simple('odd', {}, (_, given) => {
      given.onComplete?.({ forLLM: 'nobody asked' });
      return 'plain';
    }),
  ]);
  registry.onEvent((event) => void (event.type === 'call-late' && events.push(event)));
  const lateResults: string[] = [];
  const onComplete = (result: { readonly forLLM: string }): void => void lateResults.push(result.forLLM);
  expect(await registry.execute('job', {}, { onComplete })).toEqual({ forLLM: 'started', async: true });
  expect(lateResults).toEqual([]);
  await wait(25);
  await registry.execute('eager', {}, { onComplete });
  await registry.execute('job', {});
  await registry.execute('odd', {}, { onComplete });
  await wait(25);
  expect(lateResults).toEqual(['finished', 'at once']);
  expect(events.map((event) => event.type === 'call-late' && event.kind)).toEqual([
    'completed',
    'repeated',
    'completed',
    'orphan',
    'orphan',
    'repeated',
  ]);
});

test('a retryable failure of a read tool is retried up to its limit, of a write tool never', async () => {
  verifies('tools.execute.retryable');
  const tries = { read: 0, write: 0 };
  const flaky =
    (effect: 'read' | 'write'): (() => string) =>
    () => {
      tries[effect] += 1;
      if (tries[effect] < 3) throw Object.assign(new Error('busy'), { retryable: true });
      return 'ok';
    };
  const registry = createRegistry(
    [simple('r', { effect: 'read' }, flaky('read')), simple('w', { effect: 'write' }, flaky('write'))],
    { retries: 2 },
  );
  expect([(await registry.execute('r')).forLLM, (await registry.execute('w')).code]).toEqual(['ok', 'TOOL_FAILED']);
  expect(tries).toEqual({ read: 3, write: 1 });
});
