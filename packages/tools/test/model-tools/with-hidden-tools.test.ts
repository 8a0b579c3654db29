import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createRegistry, searchTool, withHiddenTools } from '../../src/index.ts';
import { context, preparedCall, simple, toolCall } from '../support.ts';

test('hidden tools are offered with the others, without the tool that searches for them', async () => {
  verifies('tools.hidden.vendorSearch');
  const registry = createRegistry([simple('own')]);
  registry.register(searchTool(registry));
  registry.register(simple('rare'), { hidden: true });
  const tools = withHiddenTools(registry);
  expect(registry.names()).toEqual(['own', 'find_tools']);
  expect(tools.list().map(({ name }) => name)).toEqual(['own', 'rare']);
  expect(tools.list()).toBe(tools.list());
  const { signal } = new AbortController();
  expect(await tools.listFor?.({ turn: 1, signal })).toBe(tools.list());
});

test('a call of a hidden tool promotes it, and one of an unknown tool does not run', async () => {
  verifies('tools.hidden.vendorSearch');
  const registry = createRegistry([simple('own')]);
  registry.register(
    simple('rare', {}, () => 'found'),
    { hidden: true },
  );
  const tools = withHiddenTools(registry);
  expect((await callTool(registry, toolCall('rare'), context())).code).toBe('TOOL_NOT_FOUND');
  expect((await callTool(tools, toolCall('rare'), context())).forLLM).toBe('found');
  expect(registry.names()).toEqual(['own', 'rare']);
  expect((await callTool(tools, toolCall('gone'), context())).code).toBe('TOOL_NOT_FOUND');
});

test('a toolset is mounted hidden, with the tools that appear later', async () => {
  verifies('tools.hidden.mount');
  const inner = createRegistry([simple('read', {}, () => 'read')]);
  const registry = createRegistry([simple('own')]);
  registry.mount('files', inner, { hidden: true });
  inner.register(simple('write'));
  expect(registry.names()).toEqual(['own']);
  expect(registry.hiddenTools().map(({ name }) => name)).toEqual(['files_read', 'files_write']);
  registry.promote(['files_read']);
  expect((await callTool(registry, toolCall('files_read'), context())).forLLM).toBe('read');
  // @ts-expect-error -- no such option
  expect(() => registry.mount('more', createRegistry(), { hide: true })).toThrow('there is no option "hide"');
});

test('a call of a hidden tool promotes it when it runs, not when it is prepared', async () => {
  verifies('tools.hidden.vendorSearch');
  const registry = createRegistry([simple('own')]);
  registry.register(simple('rare'), { hidden: true });
  const prepared = await preparedCall(withHiddenTools(registry), toolCall('rare'));
  expect(registry.names()).toEqual(['own']);
  await prepared.run(context());
  expect(registry.names()).toEqual(['own', 'rare']);
});
