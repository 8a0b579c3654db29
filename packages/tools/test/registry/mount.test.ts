import {
  type Tool,
  type ToolCall,
  type ToolEffect,
  type Toolset,
  isToolName,
  callTool,
  wrapCalls,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry } from '../../src/index.ts';
import { caught, context, preparedCall, simple, toolCall } from '../support.ts';

test('another toolset is mounted under a prefix, validates its own arguments, and its changes are adopted', async () => {
  verifies('tools.list.order');
  const inner = createRegistry([
    simple(
      'read',
      { effect: 'read', parameters: { type: 'object', properties: { n: { type: 'integer' } } } },
      (input) => input,
    ),
  ]);
  const outer = createRegistry([simple('own')]);
  const mount = outer.mount('files', inner);
  expect(outer.names()).toEqual(['own', 'files_read']);
  const result = await callTool(outer, toolCall('files_read', '{"n":"5","m":1}'), context());
  expect(result).toMatchObject({ data: { n: 5 }, repairs: [{ rule: 'string-to-number' }] });
  expect(result.forLLM).toContain('Unknown argument /m was left out.');
  inner.register(simple('write'));
  inner.unregister('read');
  expect(outer.names()).toEqual(['own', 'files_write']);
  expect([...mount.names()]).toEqual([['write', 'files_write']]);
  mount.unmount();
  inner.register(simple('late'));
  expect(outer.names()).toEqual(['own']);
});

test('a conditional tool of a mounted registry is offered in the turns where its condition holds there', async () => {
  verifies('tools.metadata.conditional', 'tools.beginTurn');
  let holds = true;
  const conditional = { metadata: { optionality: 'conditional' as const } };
  const outer = createRegistry([simple('own')]);
  outer.mount('files', createRegistry([simple('read', conditional, () => 'read', { when: () => holds })]));
  const { signal } = new AbortController();
  await outer.listFor({ turn: 1, signal });
  expect(outer.names()).toEqual(['own', 'files_read']);
  expect((await callTool(outer, toolCall('files_read'), context())).forLLM).toBe('read');
  holds = false;
  await outer.listFor({ turn: 2, signal });
  expect(outer.names()).toEqual(['own']);
});

test('a taken name is rejected and nothing is mounted', () => {
  verifies('tools.register.duplicate');
  const outer = createRegistry([simple('x_a')]);
  expect(caught(() => outer.mount('x', createRegistry([simple('b'), simple('a')]))).code).toBe('TOOL_ALREADY_EXISTS');
  expect(outer.names()).toEqual(['x_a']);
});

test('a toolset without subscribe is synchronised at each turn, which is passed on', async () => {
  verifies('tools.beginTurn');
  let tools: readonly Tool[] = [simple('a').tool];
  const turns: number[] = [];
  const calls: ToolCall[] = [];
  const foreign = toToolset({
    list: () => tools,
    async call(call) {
      calls.push(call);
      return { forLLM: 'foreign' };
    },
    async listFor({ turn }) {
      turns.push(turn);
      tools = [simple('a').tool, { ...simple('b').tool, name: 'get.weather/today' }];
      return tools;
    },
  });
  const registry = createRegistry();
  const mount = registry.mount('f', foreign);
  await registry.listFor({ turn: 7, signal: context().signal });
  const mapped = mount.names().get('get.weather/today') ?? '';
  expect([turns, registry.names()]).toEqual([[7], ['f_a', mapped]]);
  expect(isToolName(mapped)).toBe(true);
  expect((await callTool(registry, toolCall(mapped, { city: 'Oslo' }), context())).forLLM).toBe('foreign');
  expect(calls[0]).toMatchObject({ name: 'get.weather/today', arguments: '{"city":"Oslo"}' });
});

test('a registry mounts neither itself nor a view of itself, directly or through another one', async () => {
  const one = createRegistry([simple('a')]);
  const two = createRegistry([simple('b')]);
  for (const toolset of [one, one.view(), one.view({ include: ['a'] })]) {
    expect(caught(() => one.mount('x', toolset)).code).toBe('CONFIG_INVALID');
  }
  one.mount('two', two);
  expect(caught(() => two.mount('one', one.view())).code).toBe('CONFIG_INVALID');
  expect([one.names(), two.names()]).toEqual([['a', 'two_b'], ['b']]);
  await one.listFor({ turn: 1, signal: context().signal });
});

test('a wrapper that leads back to its registry neither adds tools nor recurses endlessly', async () => {
  const wrap = (inner: Toolset): Toolset => ({
    list: () => inner.list(),
    prepare: (call, given) => inner.prepare(call, given),
    listFor: async (turn) => (await inner.listFor?.(turn)) ?? inner.list(),
    subscribe: (listener) => inner.subscribe?.(listener) ?? (() => undefined),
  });
  const one = createRegistry([simple('a')]);
  const two = createRegistry([simple('b')]);
  one.mount('self', wrap(one));
  one.mount('two', wrap(two));
  two.mount('one', wrap(one));
  for (let turn = 1; turn <= 5; turn += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await one.listFor({ turn, signal: context().signal });
  }
  one.register(simple('late'));
  await one.listFor({ turn: 6, signal: context().signal });
  expect(one.size + two.size).toBeLessThan(20);
  const { size } = one;
  await one.listFor({ turn: 7, signal: context().signal });
  expect(one.size).toBe(size);
});

test('a mounted toolset whose list fails keeps its tools, and the turn begins', async () => {
  verifies('tools.beginTurn');
  let broken = false;
  const tools = [simple('a').tool];
  const registry = createRegistry();
  const list = () => {
    if (broken) throw new Error('gone');
    return tools;
  };
  registry.mount('f', toToolset({ list, call: async () => ({ forLLM: 'ok' }) }));
  broken = true;
  await registry.listFor({ turn: 1, signal: context().signal });
  expect(registry.names()).toEqual(['f_a']);
});

test('a tool that appears later and finds its name taken gets a free one, and names() says so', async () => {
  const registry = createRegistry([simple('m_b', {}, () => 'mine')]);
  let tools: readonly Tool[] = [simple('a').tool];
  const theirs = toToolset({ list: () => tools, call: async ({ name }) => ({ forLLM: `theirs ${name}` }) });
  const mount = registry.mount('m', theirs);
  tools = [...tools, simple('b').tool];
  await registry.listFor({ turn: 1, signal: context().signal });
  const name = mount.names().get('b') ?? '';
  expect((await registry.execute(name)).forLLM).toBe('theirs b');
  expect((await registry.execute('m_b')).forLLM).toBe('mine');
  registry.replace(simple('m_a'));
  expect([...mount.names().keys()]).toEqual(['b']);
  registry.overrideMetadata(name, { category: 'code' });
  mount.unmount();
  expect(registry.names()).toEqual(['m_b', 'm_a']);
});

/** A toolset of one function that keeps the arguments it gets. */
function listening(effect: ToolEffect) {
  const heard: string[] = [];
  const list = [simple('a', { effect }).tool];
  const toolset = toToolset({
    list: () => list,
    async call(call) {
      heard.push(call.arguments);
      return { forLLM: 'ok' };
    },
  });
  return { heard, toolset };
}

test('the arguments of a mounted call that need no repair arrive as their original text, those of one that changes nothing with every digit', async () => {
  const { heard, toolset } = listening('read');
  const registry = createRegistry();
  registry.mount('f', toolset);
  const texts = ['{"id":12345678901234567890, "x":1.0}', ' {"x" : 1.0} ', ''];
  for (const text of texts) await callTool(registry, toolCall('f_a', text), context()); // oxlint-disable-line no-await-in-loop
  await registry.execute('f_a', { n: 1 });
  expect(heard).toEqual([...texts, '{"n":1}']);
});

test.each(['{"id":1,"id":2}', '{"id":9007199254740993}', '{"broken'])(
  'a mounted tool with an effect, of a toolset of one function, never gets %s',
  async (text) => {
    verifies('tools.call.duplicateKeys', 'tools.execute.exact');
    const { heard, toolset } = listening('write');
    const registry = createRegistry();
    registry.mount('f', toolset);
    const request = toolCall('f_a', text);
    expect(await callTool(registry, request, context())).toMatchObject({ code: 'ARGUMENTS_INVALID' });
    const sound = ' {"id" : 1.0} ';
    await callTool(registry, toolCall('f_a', sound), context());
    expect(heard).toEqual([sound]);
  },
);

test('a mounted tool that its toolset replaces for a call by one of the same name is shown as that one', async () => {
  verifies('tools.call.approved');
  const inner = createRegistry([simple('shell', { effect: 'read' })]);
  const outer = createRegistry([]);
  outer.mount(
    'x',
    wrapCalls(inner, (prepared) => ({
      ...prepared,
      tool: { ...prepared.tool, effect: 'external', description: 'Deletes.' },
    })),
  );
  const { tool } = await preparedCall(outer, toolCall('x_shell'));
  expect(tool).toMatchObject({ name: 'x_shell', effect: 'external', description: 'Deletes.' });
});
