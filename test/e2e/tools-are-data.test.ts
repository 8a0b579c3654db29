import { agentAsTool, collect, run } from '@kernel/agent';
import { connectMcp, serveHttp } from '@kernel/mcp';
import type { Tool, ToolWithHandler } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import {
  blogAgent,
  codeAgent,
  createWorkspace,
  fileTools,
  memoryTool,
  memoryWorkspace,
  noteTools,
} from '@kernel/toolbox';
import { createRegistry, createResultStore, readResultTool, searchTool, type ToolBinding } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import { builtInTools } from '../../apps/prompt-agent/src/tools/built-in-tools.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

type Given = readonly (ToolBinding | ToolWithHandler)[];

const agent = (background = false) =>
  agentAsTool({
    name: background ? 'later' : 'researcher',
    description: 'Finds out.',
    background,
    run: { provider: scriptedProvider([{ text: 'Found.' }]), model: 'm' },
  });

async function toolbox(): Promise<Given> {
  const workspace = await createWorkspace({ root: temporaryFolder('tools-are-data', { 'a.md': 'a' }), write: ['**'] });
  const [code, blog] = [await codeAgent({ workspace }), blogAgent({ workspace })];
  onTestFinished(() => code.close());
  onTestFinished(() => blog.close());
  const tools = [...code.tools, ...blog.tools, ...fileTools(workspace), ...noteTools(workspace), memoryTool(workspace)];
  return [...new Map(tools.map((each) => [each.tool.name, each])).values()];
}

const own = createRegistry();

test.each<readonly [string, () => Given | Promise<Given>]>([
  ['the toolbox', toolbox],
  ['the program', () => builtInTools(memoryWorkspace())],
  ['the registry', () => [searchTool(own), readResultTool(createResultStore())]],
  ['agents', () => [agent(), agent(true)]],
])('every tool of %s is plain data, and so it is the one that is given to a model', async (_, make) => {
  verifies('tool.data');
  const given = await make();
  expect(given.length).toBeGreaterThan(1);
  for (const { tool } of given) expectData(tool);
  await expectSame(given);
});

test('tools that are mounted, over MCP or from another registry, are plain data too', async () => {
  verifies('tool.data');
  const inner = createRegistry<ToolBinding | ToolWithHandler>([...builtInTools(memoryWorkspace()), agent()]);
  const server = await serveHttp(inner);
  onTestFinished(() => server.close());
  const remote = await connectMcp({ mcpServers: { there: { url: server.url } } });
  onTestFinished(() => remote.close());
  const registry = createRegistry();
  registry.mount('mcp', remote);
  registry.mount('own', inner);
  expect(registry.list()).toHaveLength(2 * inner.list().length);
  for (const tool of [...registry.list(), ...remote.list(), ...inner.list()]) expectData(tool);
  await expectSame(registry.bindings());
});

function expectData(tool: Tool): void {
  expect(JSON.parse(JSON.stringify(tool))).toStrictEqual(tool);
  expect(Reflect.ownKeys(tool)).toEqual(Object.keys(tool));
}

/** The object in the registry is the one of the binding, and the one that a provider gets. */
async function expectSame(given: Given): Promise<void> {
  const registry = createRegistry(given);
  const provider = scriptedProvider([{ text: 'Yes.' }]);
  await collect(run({ provider, model: 'm', messages: [{ role: 'user', content: 'Here?' }], tools: registry }));
  const offered = provider.streamRequests[0]?.tools ?? [];
  expect(offered).toHaveLength(given.length);
  for (const [index, { tool }] of registry.bindings().entries()) {
    expectData(tool);
    expect(registry.list()[index]).toBe(tool);
    expect(offered[index]).toBe(tool);
  }
}
