import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { verifies } from '@kernel/testing';
import type { ClientOptions } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveStdio } from '../../../src/index.ts';
import { ENVELOPE, hello, rpc } from '../raw.ts';
import { changeable, createClient, hanging, modern } from '../support.ts';

const args = [
  '--conditions=@kernel/source',
  '--unhandled-rejections=strict',
  join(import.meta.dirname, '..', 'stdio-program.ts'),
];
// The SDK's transport inherits little of the environment.
const env = { ...getDefaultEnvironment(), NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };
const long = 'é'.repeat(100_000);

async function connect(options: ClientOptions = {}) {
  const client = createClient(options);
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  await client.connect(transport);
  /** Waits until the program has printed this, and returns all that it has printed. */
  const says = (word: string): Promise<string> =>
    vi.waitFor(
      () => {
        expect(stderr).toContain(word);
        return stderr;
      },
      { timeout: 60_000 },
    );
  return { client, says };
}

describe.each(Object.entries({ '2025-11-25': {}, '2026-07-28': modern }))('over stdio, %s', (era, options) => {
  test('a client negotiates, lists and calls, with messages over 64 KB both ways', async () => {
    verifies('mcp.server.lifecycle');
    const { client } = await connect(options);
    expect(client.getServerVersion()).toMatchObject({ name: 'program', version: '1.2.3' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'grow', 'hang', 'ignore']);
    const result = await client.callTool({ name: 'echo', arguments: { long } });
    expect(JSON.stringify(result.content)).toHaveLength(
      JSON.stringify([{ type: 'text', text: JSON.stringify({ long }) }]).length,
    );
    expect(client.getNegotiatedProtocolVersion()).toBe(era);
  });

  test('a change is announced, and the next list shows it', async () => {
    verifies('mcp.server.changed');
    const received = vi.fn<(names: readonly string[]) => void>();
    const onChanged = (_error: unknown, tools: readonly { readonly name: string }[] | null): void =>
      received((tools ?? []).map(({ name }) => name));
    const { client } = await connect({ ...options, listChanged: { tools: { onChanged, debounceMs: 0 } } });
    await client.callTool({ name: 'grow' });
    await vi.waitFor(() => expect(received).toHaveBeenLastCalledWith(expect.arrayContaining(['grown'])), 60_000);
  });

  test('a cancellation aborts the handler', async () => {
    verifies('mcp.server.lifecycle');
    const { client, says } = await connect(options);
    const stop = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: stop.signal });
    await says('began');
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await says('aborted');
  });

  test('a client that disconnects aborts its calls, and the program ends by itself', async () => {
    verifies('mcp.server.lifecycle');
    const { client, says } = await connect(options);
    const call = client.callTool({ name: 'hang' }).catch(() => {});
    await says('began');
    await client.close();
    await call;
    await says('aborted');
    expect(await says('closed')).toContain('aborted');
  });
});

test('a ping is answered in the protocols that have it', async () => {
  verifies('mcp.server.lifecycle');
  const { client } = await connect();
  await expect(client.ping()).resolves.toEqual({});
});

describe('raw messages', () => {
  function program(): { readonly child: ChildProcess; say(line: string): void; next(): Promise<unknown> } {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { stdin, stdout } = child;
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    return {
      child,
      say: (line) => void stdin.write(`${line}\n`),
      next: async () => JSON.parse(String((await lines.next()).value)) as unknown,
    };
  }

  test('garbage and malformed requests are answered, and the server goes on', async () => {
    verifies('mcp.server.fault', 'mcp.server.lifecycle');
    const { say, next } = program();
    say('{{{');
    expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
    say(rpc('initialize', hello('2025-06-18'), 1));
    expect(await next()).toMatchObject({ id: 1, result: { protocolVersion: '2025-06-18' } });
    say('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    say('{"jsonrpc":"2.0","id":2,"method":{}}');
    expect(await next()).toMatchObject({ id: 2, error: { code: -32_600 } });
    say(rpc('tools/call', { arguments: {} }, 3));
    expect(await next()).toMatchObject({ id: 3, error: { code: -32_602 } });
    say(rpc('tools/call', { name: 'ehco' }, 4));
    expect(await next()).toMatchObject({ id: 4, error: { code: -32_602 } });
    say(rpc('no/such', {}, 5));
    expect(await next()).toMatchObject({ id: 5, error: { code: -32_601 } });
    say(rpc('tools/call', { name: 'echo', arguments: { x: 1 } }, 'six'));
    expect(await next()).toMatchObject({ id: 'six', result: { content: [{ text: '{"x":1}' }] } });
  });

  test('the end of the input ends the program, also while a handler ignores its abort', async () => {
    const { child, say, next } = program();
    say(rpc('initialize', hello(), 1));
    await next();
    say(rpc('tools/call', { name: 'ignore' }, 2));
    child.stdin?.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

describe('the handle', () => {
  const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

  test('close aborts what runs, does not wait for it, and leaves no listener', async () => {
    const hang = hanging();
    const list = changeable();
    const { stdin, stdout } = streams();
    const server = serveStdio(
      { ...hang, subscribe: (listener) => list.subscribe?.(listener) ?? (() => {}) },
      { stdin, stdout },
    );
    stdin.write(`${rpc('initialize', hello(), 1)}\n${rpc('tools/call', { name: 'hang' }, 2)}\n`);
    await hang.began;
    expect(list.listeners).toBe(1);
    await server.close();
    await server.close();
    await hang.aborted;
    await server.closed;
    expect(list.listeners).toBe(0);
  });

  test('a client that looks at the newest protocol and then opens an older one is served once', async () => {
    const list = changeable('a');
    const { stdin, stdout } = streams();
    const server = serveStdio(list, { stdin, stdout });
    const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    stdin.write(`${rpc('server/discover', { _meta: ENVELOPE }, 1)}\n`);
    expect(String((await lines.next()).value)).toContain('2026-07-28');
    stdin.write(`${rpc('initialize', hello(), 2)}\n`);
    expect(String((await lines.next()).value)).toContain('2025-11-25');
    expect(list.listeners).toBe(1);
    await server.close();
    expect(list.listeners).toBe(0);
  });

  test('close before the SDK has been loaded closes nevertheless', async () => {
    const server = serveStdio(changeable('a'), streams());
    await server.close();
    await expect(server.closed).resolves.toBeUndefined();
  });

  test('an abort of the signal closes, also one that came before', async () => {
    const stop = new AbortController();
    const first = serveStdio(changeable('a'), { ...streams(), signal: stop.signal });
    stop.abort();
    await first.closed;
    const second = serveStdio(changeable('a'), { ...streams(), signal: stop.signal });
    await expect(second.closed).resolves.toBeUndefined();
  });

  test('a server that tools cannot be mounted on is a rejection of closed, at once', async () => {
    const own = new McpServer({ name: 'mine', version: '1' });
    const server = serveStdio(changeable('a'), { ...streams(), createServer: () => own });
    await expect(server.closed).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(server.close()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('problems of the connection are reported to onError', async () => {
    const { stdin, stdout } = streams();
    const onError = vi.fn<(error: Error) => void>();
    const server = serveStdio(changeable('a'), { stdin, stdout, onError });
    stdin.write('garbage\n');
    await vi.waitFor(
      () =>
        expect(onError).toHaveBeenCalledWith(
          expect.objectContaining({ message: expect.stringContaining('Parse error') as string }),
        ),
      60_000,
    );
    await server.close();
  });
});
