import { KernelError, type Toolset, callTool } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { bindTool, createRegistry, defineTool } from '../../src/index.ts';
import { caught, context, simple } from '../support.ts';

test.each([
  [{ concurrency: 0 }, 'concurrency'],
  [{ concurrency: Number.NaN }, 'concurrency'],
  [{ timeoutMs: -5 }, 'timeoutMs'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs'],
  [{ timeoutMs: '5' }, 'timeoutMs'],
  [{ retries: -1 }, 'retries'],
  [{ resultLimit: Number.NaN }, 'resultLimit'],
  [{ repair: 'bogus' }, 'repair'],
  [{ unknownProperties: 'drop' }, 'unknownProperties'],
  [{ secrets: 'sk-1' }, 'secrets'],
  [{ onListenerError: 1 }, 'onListenerError'],
])('a registry with the option %j is rejected by the name of the option', (options, name) => {
  const error = caught(() => createRegistry([], options as never));
  expect([error.code, error.message.includes(name)]).toEqual(['CONFIG_INVALID', true]);
});

test('a tool with an invalid option is rejected by the name of the option', () => {
  for (const options of [{ repair: 'bogus' }, { unknownProperties: 1 }, { when: true }, { timeoutMs: Number.NaN }]) {
    expect(caught(() => simple('a', {}, () => 1, options as never)).code).toBe('CONFIG_INVALID');
  }
});

test.each([
  [{ timeoutMs: -1 }, 'timeoutMs must be a number of at least 0, not -1'],
  [{ timeoutMs: Number.NaN }, 'timeoutMs'],
  [{ signal: {} }, 'signal'],
  [{ callId: 5 }, 'callId'],
  [{ onComplete: 'x' }, 'onComplete'],
])('execute with the option %j runs nothing and gives CONFIG_INVALID', async (options, text) => {
  let ran = false;
  const registry = createRegistry([simple('a', {}, () => (ran = true))]);
  const result = await registry.execute('a', {}, options as never);
  expect([result.code, result.forLLM.includes(text), ran]).toEqual(['CONFIG_INVALID', true, false]);
  await expect(registry.executeOrThrow('a', {}, options as never)).rejects.toThrow(KernelError);
});

test('a wrong call, context, tool and definition each have an error of their own', async () => {
  const registry = createRegistry([simple('a')]);
  const call = { type: 'tool-call', id: '1', name: 'a', arguments: '{}' } as const;
  for (const toolset of [registry, registry.view(), registry.snapshot()] satisfies Toolset[]) {
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(toolset, null as never, context())).code).toBe('CONFIG_INVALID');
    // oxlint-disable-next-line no-await-in-loop
    expect((await callTool(toolset, call, undefined as never)).code).toBe('CONFIG_INVALID');
  }
  expect((await registry.execute(5 as never)).code).toBe('CONFIG_INVALID');
  expect(caught(() => defineTool(undefined as never)).code).toBe('CONFIG_INVALID');
  expect(caught(() => bindTool(null as never, () => 1)).code).toBe('CONFIG_INVALID');
  const draft = { name: 'x', description: '', input: undefined, handler: () => 1 };
  expect(caught(() => defineTool(draft as never)).code).toBe('TOOL_SCHEMA_INVALID');
});
