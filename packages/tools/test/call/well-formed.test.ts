import { KernelError, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';

const HALF = 'half \ud83d';
const LONG = `x${'😀'.repeat(20_000)}`;

test.each([
  ['a text', () => HALF, /^half \uFFFD$/],
  ['data', () => ({ a: HALF, 'k\ud83d': ['\ude00 b'] }), /^\{"a":"half \\ufffd","k\\ufffd":\["\\ufffd b"\]\}$/],
  ['a result', () => ({ forLLM: HALF, forUser: HALF, data: HALF }), /^half \uFFFD$/],
  ['a message of 40,000 units', () => Promise.reject(new Error(LONG)), /^TOOL_FAILED/],
  ['a message with half a pair', () => Promise.reject(new Error(HALF)), /^TOOL_FAILED/],
  ['an error of its own', () => Promise.reject(new KernelError('TOOL_FAILED', HALF, { hint: HALF })), /^TOOL_FAILED/],
  ['thrown data', () => Promise.reject({ a: HALF }), /^TOOL_FAILED/],
])('what a handler gives is well-formed Unicode: %s', async (_, handler, forLLM) => {
  verifies('text.wellFormed');
  const tool = { name: 'a', description: 'A.', parameters: { type: 'object' } } as const;
  const registry = createRegistry([{ tool, handler: () => handler() as never }]);
  const result = await callTool(
    registry,
    { type: 'tool-call', id: '1', name: 'a', arguments: '{}' },
    { signal: new AbortController().signal },
  );
  expect(result.forLLM).toMatch(forLLM);
  const { error: _error, ...shown } = result;
  expect(JSON.stringify(shown)).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
  expect(result.forLLM.length).toBeLessThan(2_200);
});

test('arguments with half a pair reach a handler well-formed, and the model is told', async () => {
  verifies('text.wellFormed');
  let given: unknown;
  const parameters = { type: 'object', properties: { x: { type: 'string' } } } as const;
  const registry = createRegistry([
    {
      tool: { name: 'a', description: 'A.', parameters },
      handler: (input: unknown) => JSON.stringify((given = input)),
    },
  ]);
  const call = (args: string) =>
    callTool(
      registry,
      { type: 'tool-call', id: '1', name: 'a', arguments: args },
      { signal: new AbortController().signal },
    );
  const { forLLM } = await call(String.raw`{"x":"a \ud83d"}`);
  expect(given).toEqual({ x: 'a \uFFFD' });
  expect(forLLM).toContain('(Repaired arguments: / half-surrogate-to-u+fffd.)');
  expect((await call(String.raw`{"x":"\ud83d\ude00"}`)).forLLM).toBe('{"x":"😀"}');
  const invalid = await call(`{"x": "${'😀'.repeat(50)}" ${'😀'.repeat(50)}`);
  expect(invalid.forLLM).toContain('ARGUMENTS_INVALID');
  expect(invalid.forLLM.isWellFormed()).toBe(true);
});
