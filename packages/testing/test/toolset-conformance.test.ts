import {
  KernelError,
  type Tool,
  toErrorResult,
  toolResult,
  type ToolResult,
  type Toolset,
  callTool,
} from '@kernel/protocol';
import { describe, expect, test } from 'vitest';
import { mockTool, mockToolset, toolsetConformance, type ToolsetUnderTest, verifies } from '../src/index.ts';

const names = { answers: 'answers', throws: 'throws', hangs: 'hangs', stops: 'stops' };
const describeTool = (name: string): Tool => ({
  name,
  description: name,
  parameters: { type: 'object', properties: {} },
});
const list = Object.freeze(Object.values(names).map(describeTool));
const failed = (message: string, outcome?: 'abandoned' | 'cancelled'): ToolResult =>
  toErrorResult(new KernelError('TOOL_FAILED', message), outcome);

/** The least toolset that keeps every promise of the port. */
const sound: Toolset = {
  list: () => list,
  call: async ({ name, arguments: text }, { signal }) => {
    if (signal.aborted) return failed('not started');
    if (!Object.values(names).includes(name)) return failed(`no tool ${name}`);
    if (text.trim() !== '' && !text.startsWith('{}')) return failed('bad arguments');
    if (name === 'answers') return toolResult('ok');
    if (name === 'throws') return failed('it threw');
    const outcome = name === 'hangs' ? 'abandoned' : 'cancelled';
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('stopped', outcome))));
  },
};

const subject = (toolset: Toolset) => (): ToolsetUnderTest => ({ toolset, ...names });

async function failures(toolset: Toolset): Promise<string[]> {
  const cases = toolsetConformance(subject(toolset));
  const outcomes = await Promise.allSettled(cases.map(({ run }) => Promise.race([run(), hangs()])));
  return cases.filter((_case, index) => outcomes[index]?.status === 'rejected').map(({ name }) => name);
}

const hangs = () => new Promise<void>((_resolve, reject) => void setTimeout(() => reject(new Error('it hangs')), 300));

describe('a sound toolset', () => {
  for (const { name, run } of toolsetConformance(subject(sound)))
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
    test(name, run);
});

test.each([
  ['rejects', { ...sound, call: () => Promise.reject(new Error('no')) }, 'a handler that throws becomes a result'],
  [
    'ignores the abort',
    {
      ...sound,
      call: (call, context) => (call.name === 'hangs' ? new Promise(() => {}) : callTool(sound, call, context)),
    },
    'handler hangs',
  ],
  ['builds its list anew', { ...sound, list: () => Object.freeze([...list]) }, 'the same frozen array'],
  [
    'lists a handler',
    { ...sound, list: () => Object.freeze([{ ...list[0], run: () => {} } as unknown as Tool, ...list.slice(1)]) },
    'the list holds every tool',
  ],
  [
    'finds tools on the prototype chain',
    {
      ...sound,
      call: (call, context) =>
        call.name in {} ? Promise.resolve(toolResult('found')) : callTool(sound, call, context),
    },
    'prototype chain',
  ],
  [
    'swallows broken arguments',
    { ...sound, call: (call, context) => callTool(sound, { ...call, arguments: '{}' }, context) },
    'not valid JSON',
  ],
  [
    'starts after an abort',
    { ...sound, call: (call) => callTool(sound, call, { signal: new AbortController().signal }) },
    'an aborted signal starts nothing',
  ],
] as [string, Toolset, string][])('the suite catches a toolset that %s', async (_name, broken, caught) => {
  expect((await failures(broken)).some((name) => name.includes(caught))).toBe(true);
});

test('a mock tool records its calls and returns, delays, hangs or throws as told', async () => {
  verifies('mocks.tool');
  const toolset = mockToolset([
    mockTool('returns', 'text'),
    mockTool('delays', { delayMs: 5, returns: { forLLM: 'late' } }),
    mockTool('hangs', { hangs: true }),
    mockTool('throws', { throws: new Error('told so') }),
  ]);
  const call = (name: string) =>
    toolset.call({ type: 'tool-call', id: name, name, arguments: '{}' }, { signal: new AbortController().signal });
  expect(await call('returns')).toEqual({ forLLM: 'text' });
  expect(await call('delays')).toEqual({ forLLM: 'late' });
  await expect(call('throws')).rejects.toThrow('told so');
  const hanging = call('hangs');
  expect(await Promise.race([hanging, new Promise((resolve) => setTimeout(() => resolve('still'), 10))])).toBe('still');
  expect(toolset.calls.map(({ name }) => name)).toEqual(['returns', 'delays', 'throws', 'hangs']);
  expect(toolset.running).toBe(1);
});
