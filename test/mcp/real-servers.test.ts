import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { collect, run, tapEvents } from '@kernel/agent';
import type { ToolResult } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, connected, folder, program, started } from './lib/real-server.ts';

test('the filesystem server reads and writes in its folder and refuses what lies outside', async () => {
  verifies('mcp.client.toolset');
  const home = folder();
  writeFileSync(join(home, 'a.txt'), 'hello');
  const toolset = await connected({ files: started('filesystem', home) });
  expect((await call(toolset, 'mcp__files__read_text_file', { path: join(home, 'a.txt') })).forLLM).toBe('hello');
  await call(toolset, 'mcp__files__write_file', { path: join(home, 'b.txt'), content: 'written' });
  expect(readFileSync(join(home, 'b.txt'), 'utf8')).toBe('written');
  const outside = await call(toolset, 'mcp__files__read_text_file', { path: '/etc/hostname' });
  expect(outside).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(toolset.list().find(({ name }) => name === 'mcp__files__write_file')?.effect).toBe('write');
  const edits = [{ oldText: 'written', newText: 'edited' }];
  const dry = await call(toolset, 'mcp__files__edit_file', { path: join(home, 'b.txt'), edits, dryRun: true });
  expect(dry.forLLM).toContain('+edited');
  expect(readFileSync(join(home, 'b.txt'), 'utf8')).toBe('written');
  await call(toolset, 'mcp__files__move_file', { source: join(home, 'b.txt'), destination: join(home, 'c.txt') });
  const found = await call(toolset, 'mcp__files__search_files', { path: home, pattern: '**/*.txt' });
  expect(found.forLLM.split('\n').toSorted()).toEqual([join(home, 'a.txt'), join(home, 'c.txt')]);
});

test('the filesystem server takes the folders that it is told of as roots', async () => {
  verifies('mcp.client.sampling');
  const [given, allowed] = [folder(), folder()];
  writeFileSync(join(allowed, 'a.txt'), 'hello');
  const files = started('filesystem', given);
  const toolset = await connected({ files }, { roots: [{ uri: pathToFileURL(allowed).href }] });
  await expect
    .poll(async () => (await call(toolset, 'mcp__files__list_allowed_directories', {})).forLLM)
    .toContain(allowed);
  expect((await call(toolset, 'mcp__files__read_text_file', { path: join(allowed, 'a.txt') })).forLLM).toBe('hello');
  expect(await call(toolset, 'mcp__files__list_directory', { path: given })).toMatchObject({ isError: true });
});

test('the memory server remembers across restarts of its process, in the file that its environment names', async () => {
  const server = started('memory');
  const memory = { ...server, env: { ...server.env, MEMORY_FILE_PATH: join(folder(), 'memory.json') } };
  const first = await connected({ memory });
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['counts'] }];
  expect((await call(first, 'mcp__memory__create_entities', { entities })).isError).toBeUndefined();
  const engine = { name: 'Engine', entityType: 'machine', observations: [] };
  await call(first, 'mcp__memory__create_entities', { entities: [engine] });
  const relations = [{ from: 'Ada', to: 'Engine', relationType: 'programs' }];
  expect((await call(first, 'mcp__memory__create_relations', { relations })).isError).toBeUndefined();
  await first.close();
  const second = await connected({ memory });
  expect((await call(second, 'mcp__memory__read_graph', {})).data).toMatchObject({
    entities: [{ name: 'Ada' }, engine],
    relations,
  });
  expect((await call(second, 'mcp__memory__search_nodes', { query: 'counts' })).data).toMatchObject({ entities });
  await call(second, 'mcp__memory__delete_entities', { entityNames: ['Ada'] });
  expect((await call(second, 'mcp__memory__open_nodes', { names: ['Ada'] })).data).toMatchObject({ entities: [] });
});

test('the sequential-thinking server takes thoughts, revises and branches them, and refuses what is none', async () => {
  const toolset = await connected({ thinking: started('sequential-thinking') });
  const thought = { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  const think = (more: object) => call(toolset, 'mcp__thinking__sequentialthinking', { ...thought, ...more });
  expect((await think({})).data).toMatchObject({ thoughtNumber: 1 });
  const branch = { thoughtNumber: 2, totalThoughts: 3, branchFromThought: 1, branchId: 'other', isRevision: true };
  expect((await think(branch)).data).toMatchObject({ branches: ['other'], thoughtHistoryLength: 2, totalThoughts: 3 });
  expect(await think({ thoughtNumber: 'two' })).toMatchObject({ isError: true });
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
    { calls: [{ name: 'mcp__everything__trigger-long-running-operation', arguments: { duration: 60, steps: 600 } }] },
    { calls: [{ name: 'mcp__everything__echo', arguments: { message: 'again' } }] },
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
    /MCP server "everything" was ended by SIGKILL during the call of "mcp__everything__trigger-long-running-operation"/,
  );
  expect(readFileSync(pidFile, 'utf8')).not.toBe(first);
});
