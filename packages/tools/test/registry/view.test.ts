import { callTool, type Toolset } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createCapabilities, customCapabilities } from '../../src/capabilities.ts';
import { createRegistry } from '../../src/index.ts';
import { context, simple, toolCall } from '../support.ts';

const signal = new AbortController().signal;
const named = (toolset: Toolset): readonly string[] => toolset.list().map((tool) => tool.name);
const create = (): ReturnType<typeof createRegistry> =>
  createRegistry(
    [
      simple('read', { effect: 'read', metadata: { category: 'code', optionality: 'required', tags: ['fs'] } }),
      simple('write', { effect: 'write', metadata: { category: 'code', tags: ['fs', 'danger'] } }),
      simple('git', { metadata: { category: 'vcs', requires: ['git'] } }),
      simple('plain'),
    ],
    { capabilities: createCapabilities({ checks: [customCapabilities({ git: () => false })] }) },
  );

test('a view shows exactly the tools that match every field', () => {
  verifies('tools.view.filter', 'tool.effect');
  const registry = create();
  const shown = (filter: Parameters<typeof registry.view>[0]): readonly string[] => named(registry.view(filter));
  expect(shown({})).toEqual(['read', 'write', 'git', 'plain']);
  expect(shown({ include: [] })).toEqual([]);
  expect(shown({ include: ['plain', 'read', 'nobody'] })).toEqual(['read', 'plain']);
  expect(shown({ exclude: ['read'] })).toEqual(['write', 'git', 'plain']);
  expect(shown({ category: 'code' })).toEqual(['read', 'write']);
  expect(shown({ category: ['code', 'vcs'], exclude: ['write'] })).toEqual(['read', 'git']);
  expect(shown({ optionality: 'optional' })).toEqual(['write', 'git', 'plain']);
  expect(shown({ effect: ['read', 'write'] })).toEqual(['read', 'write']);
  expect(shown({ effect: 'external' })).toEqual(['git', 'plain']);
  expect(shown({ tags: ['danger', 'other'] })).toEqual(['write']);
  expect(shown({ tags: 'fs', effect: 'read' })).toEqual(['read']);
});

test('a view follows later changes, keeps its list while nothing in it changes, and notifies of its own changes only', () => {
  verifies('tools.view.filter');
  const registry = create();
  const view = registry.view({ category: 'code' });
  const list = view.list();
  let told = 0;
  const undo = view.subscribe(() => (told += 1));
  registry.register(simple('other'));
  expect([view.list() === list, told]).toEqual([true, 0]);
  registry.register(simple('edit', { metadata: { category: 'code' } }));
  expect([named(view), told]).toEqual([['read', 'write', 'edit'], 1]);
  registry.unregister('read');
  undo();
  registry.unregister('write');
  expect([named(view), told]).toEqual([['edit'], 2]);
});

test('a call through a view to a tool outside it runs nothing', async () => {
  verifies('tools.view.enforced');
  const registry = create();
  const view = registry.view({ effect: 'read' });
  const refused = await callTool(view, toolCall('write'), context());
  expect([refused.code, refused.forLLM]).toEqual([
    'TOOL_NOT_FOUND',
    'TOOL_NOT_FOUND: no tool named "write". The tools are "read".',
  ]);
  expect((await callTool(view, toolCall('read'), context())).forLLM).toBe('read');
});

test('a view can show the tools for which a capability is missing', async () => {
  verifies('tools.view.filter', 'tools.capabilities.call');
  const registry = create();
  await registry.listFor({ turn: 1, signal });
  expect(named(registry)).toEqual(['read', 'write', 'plain']);
  const lacking = registry.view({ available: false });
  expect(named(lacking)).toEqual(['git']);
  expect((await callTool(lacking, toolCall('git'), context())).code).toBe('TOOL_UNAVAILABLE');
  expect(named(registry.view({ available: true }))).toEqual(['read', 'write', 'plain']);
});

test('the tools of a category or optionality come in list order, and none is an empty list', () => {
  verifies('tools.filter');
  const registry = create();
  expect(registry.listByCategory('code').map((tool) => tool.name)).toEqual(['read', 'write']);
  expect(registry.listByOptionality('required').map((tool) => tool.name)).toEqual(['read']);
  expect(registry.listByOptionality('optional').map((tool) => tool.name)).toEqual(['write', 'git', 'plain']);
  expect([registry.listByCategory('none'), registry.listByOptionality('conditional')]).toEqual([[], []]);
});

test('the summaries are one line a tool in list order', () => {
  verifies('tools.summaries');
  expect(createRegistry([simple('read_file', { description: 'Read file contents' }), simple('b')]).summaries()).toEqual(
    ['- `read_file` - Read file contents', '- `b` - Does b.'],
  );
});

test('a snapshot keeps its tools and handlers whatever happens to the registry', async () => {
  verifies('tools.snapshot');
  const registry = create();
  const snapshot = registry.snapshot();
  registry.replace(simple('read', {}, () => 'new'));
  registry.unregister('plain');
  registry.register(simple('late'));
  expect(named(snapshot)).toEqual(['read', 'write', 'git', 'plain']);
  const texts = await Promise.all(
    ['read', 'plain', 'late', 'git'].map((name) => callTool(snapshot, toolCall(name), context())),
  );
  expect(texts.map((result) => result.code ?? result.forLLM)).toEqual([
    'read',
    'plain',
    'TOOL_NOT_FOUND',
    'TOOL_UNAVAILABLE',
  ]);
});

test('a view offers in a turn what it shows, whether the turn has to be waited for or not', async () => {
  verifies('tools.view.filter');
  const turn = { turn: 1, signal: new AbortController().signal };
  const registry = createRegistry([simple('a'), simple('b')]);
  const view = registry.view({ include: ['a'] });
  expect(view.listFor(turn)).toBe(view.list());
  registry.register(simple('c', { metadata: { optionality: 'conditional' } }, () => 'c', { when: () => true }));
  const both = registry.view({ include: ['a', 'c'] });
  expect((await both.listFor(turn)).map(({ name }) => name)).toEqual(['a', 'c']);
});
