import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, run, tapEvents } from '@kernel/agent';
import { connectMcp, type McpServerConfig, type McpToolset } from '@kernel/mcp';
import type { ToolResult } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';

const program = (name: string): string =>
  fileURLToPath(new URL(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kernel-mcp-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function connected(mcpServers: { readonly [name: string]: McpServerConfig }): Promise<McpToolset> {
  const toolset = await connectMcp({ mcpServers });
  onTestFinished(() => toolset.close());
  return toolset;
}

function call(
  toolset: McpToolset,
  name: string,
  input: object,
  onProgress?: (update: string) => void,
): Promise<ToolResult> {
  const { signal } = new AbortController();
  return toolset.call({ type: 'tool-call', id: name, name, arguments: JSON.stringify(input) }, { signal, onProgress });
}

/** What the everything server must do over any transport. */
async function expectEverything(toolset: McpToolset): Promise<void> {
  expect(toolset.list().length).toBeGreaterThan(10);
  expect((await call(toolset, 'everything_echo', { message: 'hello' })).forLLM).toBe('Echo: hello');
  expect((await call(toolset, 'everything_get-sum', { a: 2, b: 3 })).forLLM).toContain('5');
  const image = await call(toolset, 'everything_get-tiny-image', {});
  expect(image.media).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
  const weather = await call(toolset, 'everything_get-structured-content', { location: 'New York' });
  expect(weather.data).toMatchObject({ temperature: expect.any(Number) });
  const links = await call(toolset, 'everything_get-resource-links', { count: 2 });
  expect(links.forLLM).toContain('demo://resource/');
  const updates: string[] = [];
  await call(toolset, 'everything_trigger-long-running-operation', { duration: 0.4, steps: 4 }, (update) =>
    updates.push(update),
  );
  expect(updates).toHaveLength(4);
  expect(await call(toolset, 'everything_get-sum', { a: 'two' })).toMatchObject({ isError: true });
}

test('the everything server is used over stdio', async () => {
  verifies('mcp.client.toolset');
  await expectEverything(await connected({ everything: { command: process.execPath, args: [program('everything')] } }));
});

test('the everything server is used over streamable HTTP', async () => {
  verifies('mcp.client.toolset');
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  const port = typeof address === 'object' ? String(address?.port) : '';
  probe.close();
  const child = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: port },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (text: Buffer) => {
      if (text.includes('listening')) resolve();
    });
  });
  await expectEverything(await connected({ everything: { url: `http://127.0.0.1:${port}/mcp` } }));
});

test('the filesystem server reads and writes in its folder and refuses what lies outside', async () => {
  verifies('mcp.client.toolset');
  const home = folder();
  writeFileSync(join(home, 'a.txt'), 'hello');
  const toolset = await connected({ files: { command: process.execPath, args: [program('filesystem'), home] } });
  expect((await call(toolset, 'files_read_text_file', { path: join(home, 'a.txt') })).forLLM).toBe('hello');
  await call(toolset, 'files_write_file', { path: join(home, 'b.txt'), content: 'written' });
  expect(readFileSync(join(home, 'b.txt'), 'utf8')).toBe('written');
  const outside = await call(toolset, 'files_read_text_file', { path: '/etc/hostname' });
  expect(outside).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(toolset.list().find(({ name }) => name === 'files_write_file')?.effect).toBe('write');
});

test('the memory server remembers across restarts of its process, in the file that its environment names', async () => {
  const env = { MEMORY_FILE_PATH: join(folder(), 'memory.json') };
  const memory = { command: process.execPath, args: [program('memory')], env };
  const first = await connected({ memory });
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
  expect((await call(first, 'memory_create_entities', { entities })).isError).toBeUndefined();
  await first.close();
  const second = await connected({ memory });
  expect((await call(second, 'memory_read_graph', {})).data).toMatchObject({ entities: [{ name: 'Ada' }] });
});

test('the sequential-thinking server takes thoughts', async () => {
  const toolset = await connected({ thinking: { command: process.execPath, args: [program('sequential-thinking')] } });
  const thought = { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  expect((await call(toolset, 'thinking_sequentialthinking', thought)).data).toMatchObject({ thoughtNumber: 1 });
});

test('kill -9 of a server in the middle of a call: the run goes on with a clear result, and the next call has a new server', async () => {
  verifies('mcp.client.toolset');
  const pidFile = join(folder(), 'pid');
  const toolset = await connected({
    everything: {
      command: 'sh',
      args: ['-c', 'echo $$ >"$PID_FILE"; exec "$0" "$@"', process.execPath, program('everything')],
      env: { PID_FILE: pidFile },
    },
  });
  const first = readFileSync(pidFile, 'utf8');
  const provider = scriptedProvider([
    { calls: [{ name: 'everything_trigger-long-running-operation', arguments: { duration: 60, steps: 600 } }] },
    { calls: [{ name: 'everything_echo', arguments: { message: 'again' } }] },
    { text: 'It works again.' },
  ]);
  const results: ToolResult[] = [];
  let killed = false;
  const events = tapEvents(
    run({ provider, model: 'any', messages: [{ role: 'user', content: 'go' }], tools: toolset }),
    [
      (event) => {
        if (event.type === 'tool-end') results.push(event.result);
        if (event.type !== 'tool-progress' || killed) return;
        killed = true;
        process.kill(Number(first), 'SIGKILL');
      },
    ],
  );
  const ended = await collect(events);
  expect(ended).toMatchObject({ reason: 'done', answer: 'It works again.' });
  expect(results).toMatchObject([{ isError: true }, { forLLM: 'Echo: again' }]);
  expect(results[0]?.forLLM).toMatch(
    /MCP server "everything" was ended by SIGKILL during the call of "everything_trigger-long-running-operation"/,
  );
  expect(readFileSync(pidFile, 'utf8')).not.toBe(first);
});
