import { expect, test } from 'vitest';
import {
  asyncResult,
  errorResult,
  isToolResult,
  KernelError,
  silentResult,
  toErrorResult,
  toModelText,
  toolResult,
  toResultJson,
  userResult,
  withError,
} from '../src/index.ts';
import { verifies } from '../../testing/src/verifies.ts';

test('each constructor sets exactly the fields that it names', () => {
  verifies('result.helpers');
  expect(toolResult('a')).toEqual({ forLLM: 'a' });
  expect(silentResult('a')).toEqual({ forLLM: 'a', silent: true });
  expect(asyncResult('a')).toEqual({ forLLM: 'a', async: true });
  expect(errorResult('a')).toEqual({ forLLM: 'a', isError: true });
  expect(userResult('a')).toEqual({ forLLM: 'a', forUser: 'a' });
});

test('withError returns a copy with the error set', () => {
  verifies('result.helpers');
  const result = toolResult('a');
  const error = new Error('b');
  expect(withError(result, error)).toEqual({ forLLM: 'a', error });
  expect(result).toEqual({ forLLM: 'a' });
});

test('a failure from a KernelError has its code, and its message and hint as text', () => {
  const error = new KernelError('TOOL_TIMEOUT', '"a" took over 5 ms.', { hint: 'Ask for less.' });
  expect(toErrorResult(error, 'timeout')).toEqual({
    forLLM: 'TOOL_TIMEOUT: "a" took over 5 ms. Ask for less.',
    isError: true,
    code: 'TOOL_TIMEOUT',
    outcome: 'timeout',
    error,
  });
});

test('the JSON form leaves the error and unknown fields out and keeps every other set field', () => {
  verifies('result.json');
  const full = {
    forLLM: '',
    forUser: 'u',
    silent: false,
    isError: true,
    code: 'TOOL_FAILED',
    async: false,
    data: null,
    media: [],
    outcome: 'done',
    repairs: [],
  } as const;
  const secret = { ...full, error: new Error('secret'), handler: () => {} };
  expect(toResultJson(secret)).toEqual(full);
  expect(JSON.stringify(toResultJson(secret))).not.toContain('secret');
});

test('the model gets forLLM, or the message of the error where that is empty, and never nothing for a failure', () => {
  verifies('result.fallback');
  expect(toModelText({ forLLM: 'text', isError: true, error: new Error('other') })).toBe('text');
  expect(toModelText({ forLLM: '', isError: true, error: new Error('the reason') })).toBe('the reason');
  for (const error of [undefined, null, '', new Error('')])
    expect(toModelText({ forLLM: '', isError: true, error })).not.toBe('');
  expect(toModelText({ forLLM: '' })).toBe('');
});

test('a result without a text that gets an error gives the model the message of the error', () => {
  verifies('result.fallback');
  expect(toModelText(withError({ forLLM: '' }, new Error('the disk is full')))).toBe('the disk is full');
  expect(toModelText(withError({ forLLM: '' }, 'no space'))).toBe('no space');
  expect(toModelText(withError({ forLLM: 'kept' }, new Error('other')))).toBe('kept');
  expect(toModelText(withError({ forLLM: '' }, undefined))).toBe('');
});

test('only an object with a text of its own for the model is a result', () => {
  expect(isToolResult({ forLLM: 'a' })).toBe(true);
  for (const value of [undefined, null, 'a', { forLLM: 1 }, {}, Object.create({ forLLM: 'inherited' })])
    expect(isToolResult(value)).toBe(false);
});
