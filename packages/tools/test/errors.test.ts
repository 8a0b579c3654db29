import { readFileSync } from 'node:fs';
import {
  KERNEL_ERROR_CODES,
  KernelError,
  type ToolResult,
  asyncResult,
  errorResult,
  silentResult,
  toModelText,
  toResultJson,
  toolResult,
  userResult,
  withError,
} from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type RegistryEvent, createRegistry } from '../src/index.ts';
import { caught, simple } from './support.ts';

test('what is thrown or attached is a KernelError with code, message, hint, data and cause, recognized by another copy too', async () => {
  verifies('tools.errors.class', 'tools.errors.json');
  const registry = createRegistry([
    simple('a', {}, () => {
      throw new Error('inner');
    }),
  ]);
  const thrown = caught(() => registry.register(simple('a')));
  const { error } = await registry.execute('a');
  const own = new URL('error.ts', import.meta.resolve('@kernel/protocol')).href;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same module, loaded once more
  const copy = (await import(`${own}?copy`)) as { readonly KernelError: typeof KernelError };
  expect(copy.KernelError).not.toBe(KernelError);
  expect([
    copy.KernelError.is(thrown, 'TOOL_ALREADY_EXISTS'),
    copy.KernelError.is(error, 'TOOL_FAILED'),
    copy.KernelError.is(thrown, 'TOOL_FAILED'),
  ]).toEqual([true, true, false]);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'TOOL_FAILED',
    message: '"a" failed: inner',
    retryable: false,
    data: { tool: 'a' },
  });
  expect(Object.keys(thrown.toJSON()).toSorted()).toEqual(['code', 'data', 'hint', 'message', 'retryable']);
});

test('the table of codes names each code once, and nothing else', () => {
  verifies('tools.errors.codes');
  const table = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const codes = [...table.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map((match) => match[1]);
  expect(codes).toEqual([...KERNEL_ERROR_CODES]);
});

test('no text for a model holds a stack, a path of the program or a secret', async () => {
  verifies('tools.errors.text.safe');
  const nasty = new TypeError(
    `cannot read key sk-12345\n    at run (/srv/app/src/tool.ts:12:3)\n    at file:///srv/app/node_modules/x/index.js:1:1 loading /srv/app/node_modules/lib/main.js and file:///srv/app/dist/cli.js`,
  );
  const registry = createRegistry(
    [
      simple('throws', {}, () => {
        throw nasty;
      }),
      simple('says', {}, () => 'the key is sk-12345, in /home/ann/notes.txt'),
    ],
    { secrets: ['sk-12345'] },
  );
  const { forLLM, error } = await registry.execute('throws');
  expect(forLLM).toBe('TOOL_FAILED: "throws" failed: cannot read key [redacted]');
  expect(KernelError.is(error) && error.cause).toBe(nasty);
  expect(JSON.stringify(error)).not.toContain('sk-12345');
  expect((await registry.execute('says')).forLLM).toBe('the key is [redacted], in /home/ann/notes.txt');
  const paths = simple('paths', {}, () => {
    throw new Error(
      'Cannot find module /srv/app/node_modules/lib/main.js from file:///srv/app/dist/cli.js at /srv/app/src/tool.ts:12:3',
    );
  });
  expect((await createRegistry([paths]).execute('paths')).forLLM).toBe(
    'TOOL_FAILED: "paths" failed: Cannot find module main.js from cli.js at tool.ts:12:3',
  );
});

test('the late result of an async tool is shortened and redacted like any result', async () => {
  verifies('tools.errors.text.safe', 'tools.execute.async');
  const registry = createRegistry(
    [
      simple('job', {}, (_, given) => {
        given.onComplete?.({ forLLM: `key sk-12345 ${'x'.repeat(500)}` });
        return asyncResult('started');
      }),
    ],
    { secrets: ['sk-12345'], resultLimit: 100 },
  );
  const late = await new Promise<ToolResult>((resolve) => {
    void registry.execute('job', {}, { onComplete: resolve });
  });
  expect(late.forLLM.startsWith('key [redacted] xxx')).toBe(true);
  expect(late.forLLM).toContain('characters left out');
});

test('a result has its named fields and nothing else, and each constructor sets exactly its own', () => {
  verifies('result.fields', 'result.helpers');
  expect([toolResult('t'), silentResult('t'), asyncResult('t'), errorResult('t'), userResult('t')]).toEqual([
    { forLLM: 't' },
    { forLLM: 't', silent: true },
    { forLLM: 't', async: true },
    { forLLM: 't', isError: true },
    { forLLM: 't', forUser: 't' },
  ]);
  const first = errorResult('t');
  const error = new Error('x');
  expect(withError(first, error)).toEqual({ forLLM: 't', isError: true, error });
  expect(first).toEqual({ forLLM: 't', isError: true });
});

test('a handler’s own result comes through the registry as it is, and its JSON form leaves out the error alone', async () => {
  verifies('result.json', 'result.fields');
  const whole: Required<Omit<ToolResult, 'repairs' | 'code'>> = {
    forLLM: 'model',
    forUser: 'user',
    silent: false,
    isError: false,
    async: false,
    data: { a: [1] },
    media: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
    outcome: 'done',
    error: new Error('log'),
  };
  const result = await createRegistry([simple('a', {}, () => whole)]).execute('a');
  expect(result).toEqual(whole);
  const { error: _, ...rest } = whole;
  expect(toResultJson(result)).toEqual(rest);
});

test('a failure is never an empty text', () => {
  verifies('result.fallback');
  expect(toModelText({ forLLM: 'text' })).toBe('text');
  expect(toModelText({ forLLM: '', isError: true, error: new Error('disk full') })).toBe('disk full');
  expect(toModelText({ forLLM: '', isError: true })).toBe('TOOL_FAILED: the tool failed without a message.');
});

test('a call that finds nothing to run is reported like any other', async () => {
  verifies('tools.execute.log');
  const registry = createRegistry();
  const events: RegistryEvent[] = [];
  registry.onEvent((event) => events.push(event));
  await registry.execute('none', {}, { callId: 'c' });
  expect(events).toMatchObject([
    { type: 'call-start', name: 'none', callId: 'c' },
    { type: 'call-end', name: 'none', callId: 'c', isError: true, code: 'TOOL_NOT_FOUND' },
  ]);
});
