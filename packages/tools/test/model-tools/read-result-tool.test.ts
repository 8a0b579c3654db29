import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry, createResultStore, readResultTool } from '../../src/index.ts';
import { simple } from '../support.ts';

const long = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join('');

test('a long result is shortened to its head and tail, and the model can page through the full text', async () => {
  verifies('tools.execute.ok');
  const registry = createRegistry([simple('big', {}, () => long)], { resultLimit: 200 });
  const cut = (await registry.execute('big')).forLLM;
  expect(cut.startsWith(long.slice(0, 120))).toBe(true);
  expect(cut.endsWith(long.slice(-80))).toBe(true);
  expect(cut).toContain(`[… ${long.length - 200} of ${long.length} characters left out …]`);
  registry.register(readResultTool(registry.results));
  const second = (await registry.execute('big')).forLLM;
  expect(second).toContain('call read_result with handle "result-2" and offset 120 to read on');
  let read = '';
  for (let offset = 0; offset < long.length; offset += 3000) {
    // oxlint-disable-next-line no-await-in-loop
    const page = (await registry.execute('read_result', { handle: 'result-2', offset, length: 3000 })).forLLM;
    read += page.slice(0, page.lastIndexOf('\n[characters'));
  }
  expect(read).toBe(long);
  const last = await registry.execute('read_result', { handle: 'result-2', offset: long.length - 5 });
  expect(last.forLLM).toContain('this is the end');
  expect((await registry.execute('read_result', { handle: 'gone' })).forLLM).toBe(
    'TOOL_FAILED: no result is kept under "gone". Call the tool again.',
  );
});

test('the tool’s own limit beats the registry’s, and 0 means all', async () => {
  verifies('tools.execute.ok');
  const registry = createRegistry(
    [simple('all', {}, () => long, { resultLimit: 0 }), simple('less', {}, () => long, { resultLimit: 50 })],
    { resultLimit: 200 },
  );
  expect((await registry.execute('all')).forLLM).toBe(long);
  expect((await registry.execute('less')).forLLM.length).toBeLessThan(150);
});

test('truncation never splits a character', async () => {
  verifies('tools.execute.ok');
  const registry = createRegistry([simple('emoji', {}, () => '😀'.repeat(500))]);
  registry.register(readResultTool(registry.results));
  for (let limit = 40; limit < 60; limit += 1) {
    registry.replace(simple('emoji', {}, () => '😀'.repeat(500), { resultLimit: limit }));
    // oxlint-disable-next-line no-await-in-loop
    const { forLLM } = await registry.execute('emoji');
    expect(Buffer.from(forLLM).toString()).toBe(forLLM);
    // oxlint-disable-next-line no-await-in-loop
    const page = await registry.execute('read_result', { handle: 'result-1', offset: limit, length: 7 });
    expect(Buffer.from(page.forLLM).toString()).toBe(page.forLLM);
    const start = limit + (limit % 2);
    expect(page.forLLM).toBe(
      `😀😀😀\n[characters ${start} to ${start + 6} of 1000; ${994 - start} characters follow; continue at offset ${start + 6}]`,
    );
  }
});

test('the store drops the oldest texts first and always keeps the newest', () => {
  verifies('tools.execute.ok');
  const store = createResultStore(100);
  const handles = ['a', 'b', 'c'].map((letter) => store.keep(letter.repeat(45)));
  expect(handles.map((handle) => store.read(handle)?.[0])).toEqual([undefined, 'b', 'c']);
  const huge = store.keep('x'.repeat(1000));
  expect([store.read(huge)?.length, store.read(handles[2] ?? '')]).toEqual([1000, undefined]);
});

test('a result of 100 MB costs no memory beyond the text itself', async () => {
  verifies('tools.execute.ok');
  const text = Buffer.alloc(100_000_000, 'x').toString('latin1');
  const registry = createRegistry([simple('huge', {}, () => text)], { resultLimit: 1000 });
  registry.register(readResultTool(registry.results));
  const before = process.memoryUsage();
  const { forLLM } = await registry.execute('huge');
  const page = await registry.execute('read_result', { handle: 'result-1', offset: 99_999_990 });
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.external - before.heapUsed - before.external;
  expect([forLLM.length < 1200, page.forLLM.startsWith('xxxxxxxxxx\n')]).toEqual([true, true]);
  expect(grown).toBeLessThan(20_000_000);
});

test('secrets are redacted from everything that leaves a call: data, errors, repairs, progress and events', async () => {
  const secret = 'sk-"very"-secret';
  const registry = createRegistry(
    [
      simple('a', { parameters: { type: 'object', properties: { n: { type: 'array' } } } }, (_, given) => {
        given.onProgress?.(`at ${secret}`);
        return {
          forLLM: JSON.stringify({ key: secret }),
          forUser: secret,
          data: { deep: [{ key: secret, [secret]: 1 }] },
        };
      }),
      simple('b', {}, () => {
        throw new KernelError('TOOL_FAILED', `no ${secret}`, { hint: secret, data: { key: [secret] } });
      }),
      simple('c', {}, () => `${'x'.repeat(95)}${secret}${'x'.repeat(200)}`, { resultLimit: 170 }),
    ],
    { secrets: [secret], detail: true },
  );
  const seen: unknown[] = [];
  registry.onEvent((event) => seen.push(event));
  for (const name of ['a', 'b', 'c']) {
    // oxlint-disable-next-line no-await-in-loop
    const result = await registry.execute(name, { n: secret }, { onProgress: (update) => seen.push(update) });
    seen.push(result, KernelError.is(result.error) ? result.error.toJSON() : undefined);
  }
  const text = JSON.stringify(seen);
  expect(text).not.toContain('very');
  expect(text).toContain('[redacted]');
  expect(text).toContain('value-to-list');
});

test('data that JSON cannot represent is a failure of a tool that only reads, whatever kind it is', async () => {
  for (const data of [10n, () => 1, Symbol('x'), { deep: [10n] }]) {
    const registry = createRegistry([simple('a', { effect: 'read' }, () => ({ forLLM: 'x', data }))]);
    // oxlint-disable-next-line no-await-in-loop
    expect((await registry.execute('a')).code).toBe('TOOL_FAILED');
  }
});
