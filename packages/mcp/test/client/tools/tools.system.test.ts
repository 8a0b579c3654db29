import { isToolName } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, connected, server } from '../programs.ts';

test('tools of several servers are listed as mcp__server__tool, in the order of the config, all pages of them', async () => {
  verifies('mcp.client.toolset', 'mcp.client.names');
  const toolset = await connected({ zoo: server('echo', 'ok'), farm: server() });
  const names = toolset.list().map(({ name }) => name);
  expect(names.slice(0, 3)).toEqual(['mcp__zoo__echo', 'mcp__zoo__ok', 'mcp__farm__echo']);
  expect(names).toHaveLength(2 + 22);
  expect(new Set(names).size).toBe(names.length);
});

test('a schema is kept whole, with title, output schema, effect and metadata', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('echo', 'weather', 'ok') }, { trustHints: ['a'] });
  expect(toolset.list()).toEqual([
    {
      name: 'mcp__a__echo',
      description: 'Says it again.',
      parameters: {
        type: 'object',
        properties: { note: { type: 'string' } },
        required: ['note'],
        additionalProperties: false,
      },
      effect: 'read',
    },
    { name: 'mcp__a__ok', description: 'Answers.', parameters: { type: 'object', properties: {} }, effect: 'external' },
    {
      name: 'mcp__a__weather',
      title: 'The weather',
      description: 'Structured.',
      parameters: { type: 'object', properties: {} },
      outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
      effect: 'external',
      metadata: { category: 'research', optionality: 'required', usageHint: 'When it rains.' },
    },
  ]);
});

test('the list and its tools are the same frozen objects as long as nothing changes', async () => {
  verifies('mcp.client.toolset');
  const toolset = await connected({ a: server('echo', 'pid', 'dies') });
  const list = toolset.list();
  expect(toolset.list()).toBe(list);
  expect(Object.isFrozen(list)).toBe(true);
  expect(list.every((tool) => Object.isFrozen(tool) && Object.isFrozen(tool.parameters))).toBe(true);
  await call(toolset, 'mcp__a__dies');
  await call(toolset, 'mcp__a__pid'); // the server was started and listed again
  expect(toolset.list()).toBe(list);
});

test('names that are not legal or too long become legal, unique ones that lead back to their tool', async () => {
  verifies('mcp.client.names');
  const long = `the-${'very-'.repeat(14)}long-name`;
  const toolset = await connected({ 'my server': server('bad.params', 'echo'), [long]: server('echo') });
  const names = toolset.list().map(({ name }) => name);
  expect(names.every((name) => isToolName(name))).toBe(true);
  expect(new Set(names).size).toBe(3);
  expect((await call(toolset, names[1] ?? '')).forLLM).toContain('what is this?');
  expect((await call(toolset, names[0] ?? '', { note: 'first' })).forLLM).toBe('first');
  expect((await call(toolset, names[2] ?? '', { note: 'second' })).forLLM).toBe('second');
});

test('no server takes the name of a tool of another one, whatever both are called and whichever comes first', async () => {
  verifies('mcp.client.names');
  const toolset = await connected({ a__dies: server('pid'), a: server('dies_reading', 'pid'), a_: server('echo') });
  const names = toolset.list().map(({ name }) => name);
  expect(names.slice(1, 3)).toEqual(['mcp__a__dies_reading', 'mcp__a__pid']);
  expect(names[0]).toMatch(/^mcp__a_dies_[\da-f]{8}__pid$/);
  expect(names[3]).toMatch(/^mcp__a_[\da-f]{8}__echo$/);
  expect(new Set(names).size).toBe(4);
  const [other, , own] = names;
  const pids = await Promise.all([call(toolset, own ?? ''), call(toolset, other ?? '')]);
  expect(pids[0].forLLM).not.toBe(pids[1].forLLM);
});

test('a name that no server offers is a result that says so, also one of the prototype chain', async () => {
  const toolset = await connected({ a: server('echo') });
  for (const name of ['mcp__a__nothing', 'echo', '__proto__', 'constructor']) {
    const result = await call(toolset, name);
    expect(result).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
    expect(result.forLLM).toContain(name);
  }
});

test('a program gets the variables that are named and the few that are inherited, and no other', async () => {
  process.env['KERNEL_TEST_PRIVATE'] = 'must not leak';
  const toolset = await connected({ a: { ...server('env'), env: { API_REGION: 'north' } } });
  delete process.env['KERNEL_TEST_PRIVATE'];
  const env: unknown = JSON.parse((await call(toolset, 'mcp__a__env')).forLLM);
  expect(env).toMatchObject({ API_REGION: 'north', PATH: process.env['PATH'] });
  expect(env).not.toHaveProperty('KERNEL_TEST_PRIVATE');
});
