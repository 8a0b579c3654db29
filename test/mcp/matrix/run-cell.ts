import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { connectMcp, serveHttp } from '@kernel/mcp';
import { SSEClientTransport as Sse2, Client as Client2 } from '@modelcontextprotocol/client';
import * as node2 from '@modelcontextprotocol/node';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as Sse1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
import * as server2 from '@modelcontextprotocol/server';
import type { Cell, Verdict } from './cells.ts';
import { ourTools } from './our-tools.ts';
import { serveSdkHttp, serveSdkSse } from './sdk-servers.ts';
import { openOurs, openSdk, type Session, type Target } from './sessions.ts';

const PROGRAM = fileURLToPath(new URL('stdio-server.ts', import.meta.url));

/** Runs a cell and returns what it came to. Throws what has failed in one that should work. */
export async function runCell(cell: Cell): Promise<Verdict> {
  const version = cell.peer.endsWith('1') ? 1 : 2;
  if (version === 1 && !SUPPORTED_PROTOCOL_VERSIONS.includes(cell.revision)) return '– ¹';
  if (cell.transport === 'HTTP+SSE') return runSse(cell, version);
  await (cell.peer.startsWith('client') ? runClient(cell, version) : runServer(cell, version));
  return 'yes';
}

/** A client of the SDK at our server. */
async function runClient({ transport, revision }: Cell, version: 1 | 2): Promise<void> {
  if (transport === 'stdio') {
    const session = await openSdk(version, programFor('ours'), revision);
    return check(session, revision);
  }
  const tools = ourTools();
  const server = await serveHttp(tools);
  try {
    const session = await openSdk(version, server, revision);
    await check(session, revision, async () => {
      const stop = new AbortController();
      const rejected = assert.rejects(session.call('hang', {}, { signal: stop.signal }));
      await tools.began;
      stop.abort();
      await Promise.all([rejected, tools.ended]);
    });
  } finally {
    await server.close();
  }
}

/** Our client at a server of the SDK. */
async function runServer({ transport, revision }: Cell, version: 1 | 2): Promise<void> {
  if (transport === 'stdio') return check(await openOurs(programFor(String(version), revision)), revision);
  const server = await serveSdkHttp(version, revision);
  try {
    await check(await openOurs(server), revision);
  } finally {
    await server.close();
  }
}

/** What has to work: the list, a call with data, a failure, progress, a question in the middle of a call, and the revision. */
async function check(session: Session, revision: string, more?: () => Promise<void>): Promise<void> {
  try {
    const names = await session.names();
    for (const name of ['add', 'fail', 'work', 'ask']) assert.ok(names.includes(name), `${name} is not listed`);
    const sum = await session.call('add', { a: 2, b: 40 });
    assert.deepEqual([sum.data, sum.isError], [{ sum: 42 }, false]);
    const failed = await session.call('fail', {});
    assert.match(failed.text, /It fails/);
    assert.ok(failed.isError);
    let updates = 0;
    const done = await session.call('work', {}, { onProgress: () => (updates += 1) });
    assert.deepEqual([done.text, updates], ['Done.', 1]);
    assert.equal((await session.call('ask', {})).text, 'Hello, Ada!');
    if (names.includes('revision')) assert.equal((await session.call('revision', {})).text, revision);
    if (session.revision !== undefined) assert.equal(session.revision, revision);
    await more?.();
  } finally {
    await session.close();
  }
}

async function runSse({ revision, peer }: Cell, version: 1 | 2): Promise<Verdict> {
  if (revision === '2026-07-28') return '– ²';
  if (peer === 'server of SDK 2') {
    assert.deepEqual(
      [...Object.keys(server2), ...Object.keys(node2)].filter((name) => name.startsWith('SSE')),
      [],
      'version 2 of the SDK serves HTTP+SSE after all',
    );
    return '– ³';
  }
  await (peer === 'server of SDK 1' ? refusedByOurClient() : refusedByOurServer(version));
  return 'refused ⁴';
}

async function refusedByOurServer(version: 1 | 2): Promise<void> {
  const server = await serveHttp(ourTools());
  try {
    const url = new URL(server.url);
    const info = { name: 'matrix', version: '1' };
    const connecting =
      version === 1 ? new Client1(info).connect(new Sse1(url)) : new Client2(info).connect(new Sse2(url));
    await assert.rejects(connecting, /40[05]/);
  } finally {
    await server.close();
  }
}

async function refusedByOurClient(): Promise<void> {
  const server = await serveSdkSse();
  try {
    await assert.rejects(connectMcp({ mcpServers: { s: { url: server.url } } }), { code: 'TOOL_UNAVAILABLE' });
    await assert.rejects(connectMcp({ mcpServers: { s: { type: 'sse', url: server.url } } }), {
      code: 'CONFIG_INVALID',
      hint: /streamable HTTP/,
    });
  } finally {
    await server.close();
  }
}

function programFor(...args: readonly string[]): Target {
  const conditions = process.execArgv.filter((flag) => flag.startsWith('--conditions='));
  return { command: process.execPath, args: [...conditions, PROGRAM, ...args] };
}
