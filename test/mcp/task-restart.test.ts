import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';

const SERVER = fileURLToPath(new URL('fixture/task-server.ts', import.meta.url));

interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
}

/** Starts the server on a journal. */
async function start(file: string): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = spawn(process.execPath, [...process.execArgv, SERVER, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const url of createInterface({ input: child.stdout })) return { url, child };
  throw new Error('The server ended.');
}

async function request(url: string, method: string, params: Readonly<Record<string, unknown>>): Promise<Task> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params['name'] ?? params['taskId']),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  const text = await response.text();
  const json =
    text
      .split('\n')
      .findLast((line) => line.startsWith('data: '))
      ?.slice('data: '.length) ?? text;
  const { result } = JSON.parse(json) as { readonly result?: Task };
  if (result === undefined) throw new Error(text);
  return result;
}

async function settled(url: string, taskId: string): Promise<Task> {
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- that is polling
    const task = await request(url, 'tasks/get', { taskId });
    if (task.status !== 'working') return task;
  }
}

test('after kill -9 the next server on the same journal has the results, and tells what was interrupted', async () => {
  verifies('mcp.server.tasks.durable');
  const folder = mkdtempSync(join(tmpdir(), 'tasks-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tasks.db');
  const first = await start(file);
  const done = await request(first.url, 'tools/call', { name: 'finish', arguments: {} });
  const hanging = await request(first.url, 'tools/call', { name: 'hang', arguments: {} });
  expect((await settled(first.url, done.taskId)).result?.content[0]?.text).toBe('Done.');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');

  const second = await start(file);
  expect((await settled(second.url, done.taskId)).result?.content[0]?.text).toBe('Done.');
  const interrupted = await settled(second.url, hanging.taskId);
  expect(interrupted).toMatchObject({ status: 'completed', result: { isError: true } });
  expect(interrupted.result?.content[0]?.text).toMatch(/^OUTCOME_UNKNOWN: .*"hang"/);
}, 30_000);
