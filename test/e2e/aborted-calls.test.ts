import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { agentAsTool, collect, run } from '@kernel/agent';
import { connectMcp } from '@kernel/mcp';
import { scriptedProvider, verifies } from '@kernel/testing';
import { commandTools, createWorkspace } from '@kernel/toolbox';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

test('a command that is stopped halfway is told as one, with what it wrote until then', async () => {
  verifies('tools.execute.abort.truth');
  const commands = commandTools({
    workspace: await createWorkspace({ root: temporaryFolder('aborted-calls') }),
    isolation: 'none',
  });
  const registry = createRegistry(commands.tools);
  const stop = new AbortController();
  const script = "console.log('half'); setTimeout(() => console.log('whole'), 30_000)";
  const result = await registry.execute(
    'run_command',
    { command: [process.execPath, '-e', script] },
    { signal: stop.signal, onProgress: (text) => text.includes('half') && stop.abort() },
  );
  expect(result).toMatchObject({ isError: true, code: 'TOOL_CANCELLED' });
  // On a busy machine it takes longer to end than a call may wait for that.
  expect(result.forLLM).toMatch(
    result.outcome === 'abandoned' ? /is still running/ : /^It was stopped after .* s\.\nhalf/,
  );
  await commands.close();
});

test('an agent that is stopped says so in its own words, with the calls that it had made', async () => {
  verifies('tools.execute.abort.truth');
  const stop = new AbortController();
  const inner = createRegistry([
    bindTool({ name: 'save', description: 'Saves.', parameters: { type: 'object' }, effect: 'write' }, () => 'saved'),
    bindTool({ name: 'wait', description: 'Waits.', parameters: { type: 'object' }, effect: 'write' }, (_, context) => {
      stop.abort();
      return untilAborted(context.signal).then(() => 'half');
    }),
  ]);
  const provider = scriptedProvider([{ calls: [{ name: 'save' }] }, { calls: [{ name: 'wait' }] }]);
  const agent = agentAsTool({ name: 'helper', description: 'Helps.', run: { provider, model: 'm', tools: inner } });
  const result = await createRegistry([agent]).execute('helper', { task: 'Go' }, { signal: stop.signal });
  expect(result).toMatchObject({ isError: true, code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(result.forLLM).toBe(
    'TOOL_CANCELLED: "helper" was stopped. Its calls until then: save (done), wait (cancelled).',
  );
});

/** An MCP server of one tool, whose calls hang for as long as `hangs` says. */
async function searchServer(hangs = false) {
  const inputs: unknown[] = [];
  const called = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body) as {
        readonly id?: number;
        readonly method: string;
        readonly params?: { readonly [name: string]: unknown };
      };
      if (id === undefined) return response.writeHead(202).end();
      const properties = { queries: { type: 'array', items: { type: 'string' } }, limit: { type: 'integer' } };
      const results: { readonly [method: string]: object } = {
        initialize: {
          protocolVersion: params?.['protocolVersion'],
          capabilities: { tools: {} },
          serverInfo: { name: 'search', version: '1' },
        },
        'tools/list': {
          tools: [{ name: 'search', inputSchema: { type: 'object', properties, required: ['queries'] } }],
        },
        'tools/call': { content: [{ type: 'text', text: 'found' }] },
      };
      if (method === 'tools/call') {
        inputs.push(params?.['arguments']);
        called.resolve();
        if (hangs) return undefined;
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const toolset = await connectMcp({ mcpServers: { a: { url } } });
  onTestFinished(() => toolset.close());
  return { toolset, inputs, called: called.promise };
}

test('a mounted MCP tool that is aborted is not said to have finished', async () => {
  verifies('tools.execute.abort.truth');
  const { toolset, called } = await searchServer(true);
  const registry = createRegistry();
  registry.mount('m', toolset);
  const stop = new AbortController();
  const running = registry.execute('m_mcp__a__search', { queries: ['a'] }, { signal: stop.signal });
  await called;
  stop.abort();
  const result = await running;
  expect(result).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(result.forLLM).toContain('was told to stop, and what it did so far is unknown');
});

test('the arguments of an MCP tool are repaired once, with one report, mounted or in a run', async () => {
  verifies('mcp.client.arguments', 'tools.mount.arguments');
  const { toolset, inputs } = await searchServer();
  const registry = createRegistry();
  registry.mount('m', toolset);
  const sent = '{"queries":"[\\"test\\"]","limit":null}';
  for (const [tools, name] of [
    [registry, 'm_mcp__a__search'],
    [toolset, 'mcp__a__search'],
  ] as const) {
    const provider = scriptedProvider([{ calls: [{ name, arguments: sent }] }, { text: 'Done.' }]);
    const messages = [{ role: 'user', content: 'Go' }] as const;
    // oxlint-disable-next-line no-await-in-loop
    const { toolCalls } = await collect(run({ provider, model: 'm', messages, tools }));
    expect(toolCalls[0]?.result.forLLM.match(/Repaired arguments/g)).toHaveLength(1);
    expect(toolCalls[0]?.result.repairs?.map(({ path }) => path)).toEqual(['/queries', '/limit']);
  }
  expect(inputs).toEqual([{ queries: ['test'] }, { queries: ['test'] }]);
});
