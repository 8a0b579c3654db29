import { type Tool, type ToolCall, type Toolset, isToolName } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry, mountedName } from '../../src/index.ts';
import { caught, context, simple, toolCall } from '../support.ts';

test('another toolset is mounted under a prefix, checks its own arguments and is followed', async () => {
  verifies('tools.list.order');
  const inner = createRegistry([
    simple('read', { parameters: { type: 'object', properties: { n: { type: 'integer' } } } }, (input) => input),
  ]);
  const outer = createRegistry([simple('own')]);
  const mount = outer.mount('files', inner);
  expect(outer.names()).toEqual(['own', 'files_read']);
  const result = await outer.call(toolCall('files_read', '{"n":"5","m":1}'), context());
  expect(result).toMatchObject({ data: { n: 5 }, repairs: [{ rule: 'string-to-number' }] });
  expect(result.forLLM).toContain('Did you mean "n"?');
  inner.register(simple('write'));
  inner.unregister('read');
  expect(outer.names()).toEqual(['own', 'files_write']);
  expect([...mount.names()]).toEqual([['write', 'files_write']]);
  mount.unmount();
  inner.register(simple('late'));
  expect(outer.names()).toEqual(['own']);
});

test('a taken name is refused and nothing is mounted', () => {
  verifies('tools.register.duplicate');
  const outer = createRegistry([simple('x_a')]);
  expect(caught(() => outer.mount('x', createRegistry([simple('b'), simple('a')]))).code).toBe('TOOL_ALREADY_EXISTS');
  expect(outer.names()).toEqual(['x_a']);
});

test('a toolset without events is followed at each turn, which is passed on', async () => {
  verifies('tools.beginTurn');
  let tools: readonly Tool[] = [simple('a').tool];
  const turns: number[] = [];
  const calls: ToolCall[] = [];
  const foreign: Toolset = {
    list: () => tools,
    async call(call) {
      calls.push(call);
      return { forLLM: 'foreign' };
    },
    async beginTurn({ turn }) {
      turns.push(turn);
      tools = [simple('a').tool, { ...simple('b').tool, name: 'get.weather/today' }];
    },
  };
  const registry = createRegistry();
  const mount = registry.mount('f', foreign);
  await registry.beginTurn({ turn: 7, signal: context().signal });
  const mapped = mount.names().get('get.weather/today') ?? '';
  expect([turns, registry.names()]).toEqual([[7], ['f_a', mapped]]);
  expect(isToolName(mapped)).toBe(true);
  expect((await registry.call(toolCall(mapped, { city: 'Oslo' }), context())).forLLM).toBe('foreign');
  expect(calls[0]).toMatchObject({ name: 'get.weather/today', arguments: '{"city":"Oslo"}' });
});

test('mounted names stay legal, within 64 characters, stable and one to one', () => {
  verifies('tools.register.name');
  const long = 'x'.repeat(60);
  const originals = [`${long}_one`, `${long}_two`, 'a.b', 'a/b', 'a b', 'a_b', 'é', 'ü', '', '日本'];
  const names = originals.map((name) => mountedName('prefix', name));
  expect(new Set(names).size).toBe(originals.length);
  for (const name of names) expect(isToolName(name)).toBe(true);
  expect(names[5]).toBe('prefix_a_b');
  expect(names).toEqual(originals.map((name) => mountedName('prefix', name)));
  const many = Array.from({ length: 20_000 }, (_, index) => mountedName('p', `tool.number/${index}`));
  expect(new Set(many).size).toBe(20_000);
});
