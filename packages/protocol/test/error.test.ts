import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KERNEL_ERROR_CODES, KernelError } from '../src/index.ts';
import { verifies } from '../../testing/src/verifies.ts';

test('an error of another installed copy is recognized, with and without its code', async () => {
  verifies('tools.errors.class');
  const copyUrl = new URL('../src/error.ts?copy', import.meta.url).href;
  const copy = (await import(/* @vite-ignore */ copyUrl)) as { KernelError: typeof KernelError };
  expect(copy.KernelError).not.toBe(KernelError);
  const error: unknown = new copy.KernelError('TOOL_FAILED', 'm');
  expect(KernelError.is(error)).toBe(true);
  expect(KernelError.is(error, 'TOOL_FAILED')).toBe(true);
  expect(KernelError.is(error, 'TOOL_TIMEOUT')).toBe(false);
});

test('nothing else is taken for one', () => {
  for (const value of [undefined, null, 'TOOL_FAILED', new Error('m'), { code: 'TOOL_FAILED', message: 'm' }])
    expect(KernelError.is(value)).toBe(false);
});

test('the JSON form has code, message, hint, retryable and data, and never the cause', () => {
  verifies('tools.errors.json');
  const cause = new Error('secret');
  const error = new KernelError('PROVIDER_HTTP', 'm', { hint: 'h', retryable: true, data: { status: 500 }, cause });
  expect(error.cause).toBe(cause);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code: 'PROVIDER_HTTP',
    message: 'm',
    hint: 'h',
    retryable: true,
    data: { status: 500 },
  });
  expect(JSON.parse(JSON.stringify(new KernelError('TOOL_FAILED', 'm')))).toEqual({
    code: 'TOOL_FAILED',
    message: 'm',
    retryable: false,
  });
});

test('a missing cause is no property, and the stack starts with name and message', () => {
  const error = new KernelError('TOOL_FAILED', 'm');
  expect('cause' in error).toBe(false);
  expect(error.stack).toMatch(/^KernelError: m/);
  expect(Object.keys(error)).toEqual(['code', 'retryable']);
});

test('every code stands in the table of docs/errors.md, once, and no other does', () => {
  const table = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const codes = [...table.matchAll(/^\| `([A-Z_]+)`/gm)].map((match) => match[1]);
  expect(codes).toEqual([...KERNEL_ERROR_CODES]);
});

test('the JSON of an error becomes that error again, whatever else is read is an error, too', () => {
  verifies('durable.errors');
  const options = { hint: 'Do this.', retryable: true, data: { status: 429 } };
  const error = new KernelError('PROVIDER_HTTP', 'Too many.', options);
  const copy = KernelError.fromJSON(JSON.parse(JSON.stringify(error)));
  expect(copy.toJSON()).toEqual(error.toJSON());
  expect(KernelError.is(copy, 'PROVIDER_HTTP')).toBe(true);
  for (const odd of [null, 'text', 5, [], {}, { code: 'NEW_CODE', message: 7, data: 'x', hint: {} }]) {
    const read = KernelError.fromJSON(odd, 'STORE_FAILED');
    expect([read.code, read.message, read.retryable]).toEqual(['STORE_FAILED', 'The error has no message.', false]);
  }
  expect(KernelError.fromJSON({ code: 'NEW_CODE', message: 'From the future.' })).toMatchObject({
    code: 'TOOL_FAILED',
    message: 'From the future.',
  });
});
