import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { shellQuote } from '../src/questions/shell-quote.ts';
import { environmentAt, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a command that serves, and resolves when it has printed what matches. */
async function startServing(args: readonly string[], ready: RegExp, cwd = workspace()) {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd,
    env: environmentAt(cwd),
  });
  running.push(child);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const match = await new Promise<RegExpExecArray>((resolve, reject) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = ready.exec(text);
      if (found !== null) resolve(found);
    });
    void ended.then(() => reject(new Error(`It ended: ${text}`)));
  });
  return { child, match, ended };
}

const PAGE = /open (http:\/\/127\.0\.0\.1:\d+\/)#([\w-]+) in a browser/;

/** Sends a message to a chat and returns the events of the run. */
async function send(url: string, token: string, body: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const response = await fetch(url, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.includes('data: '));
  return frames.map(
    (frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Readonly<Record<string, unknown>>,
  );
}

describe('serve http', () => {
  test('serves a page, answers with the token of the address alone, keeps the conversation and ends on Ctrl-C', async () => {
    verifies('cli.serve.http');
    const { child, match, ended } = await startServing(['serve', 'http'], PAGE);
    const [, url = '', token = ''] = match;
    const page = await fetch(url);
    expect(await page.text()).toContain('<title>prompt-agent</title>');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const empty = { method: 'POST', body: ' \n', headers: { authorization: `Bearer ${token}` } };
    expect((await fetch(`${url}chats/a`, empty)).status).toBe(400);
    const events = await send(`${url}chats/a`, token, 'what is 6 times 7?');
    expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'done' });
    expect(events).toContainEqual({ type: 'text-delta', text: '42' });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  test('refuses a request without the token, with the name of another site, too long, or to nowhere', async () => {
    verifies('cli.serve.http');
    const { match } = await startServing(['serve', 'http'], PAGE);
    const [, url = '', token = ''] = match;
    const status = async (path: string, init: RequestInit) => (await fetch(`${url}${path}`, init)).status;
    const authorization = `Bearer ${token}`;
    expect(await status('chats/a', { method: 'POST', body: 'hi' })).toBe(401);
    expect(await status('chats/a', { method: 'POST', body: 'hi', headers: { authorization: 'Bearer x' } })).toBe(401);
    expect(await status('chats/a', { headers: { authorization } })).toBe(404);
    expect(await status('../etc/passwd', {})).toBe(404);
    const body = 'x'.repeat(1024 * 1024 + 1);
    expect(await status('chats/a', { method: 'POST', body, headers: { authorization } })).toBe(400);
    expect(await status('chats/a/decisions', { method: 'POST', body: 'no JSON', headers: { authorization } })).toBe(
      400,
    );
    const foreign = await new Promise((resolve) => {
      request(url, { headers: { host: 'example.com' } }, (response) => resolve(response.statusCode)).end();
    });
    expect(foreign).toBe(403);
  });

  test('a key that the model repeats, in small pieces too, does not reach the page', async () => {
    verifies('cli.serve.http');
    const key = 'sk-test-0123456789abcdefghij';
    const server = await startWireServer({ replies: () => ({ text: `It is ${key}.`, pieces: 12 }) });
    try {
      const args = ['serve', 'http', '--base-url', server.baseUrl, '-m', 'm', '--token', key];
      const { match } = await startServing(args, PAGE);
      const [, url = '', token = ''] = match;
      const events = await send(`${url}chats/a`, token, 'what is your key?');
      const text = events.map((event) => (event['type'] === 'text-delta' ? String(event['text']) : '')).join('');
      expect(text).toContain('It is ');
      expect(JSON.stringify(events) + text).not.toContain(key);
    } finally {
      await server.close();
    }
  });

  test('a chat answers one message at a time, and is free again when it has answered or was given up', async () => {
    verifies('cli.serve.one');
    const stalled = { text: 'never', fault: { stallAfter: 0 } };
    const server = await startWireServer({ replies: (_, at) => (at === 0 ? stalled : { text: 'ok' }) });
    try {
      const { match } = await startServing(['serve', 'http', '--base-url', server.baseUrl, '-m', 'm'], PAGE);
      const [, url = '', token = ''] = match;
      const given = new AbortController();
      const headers = { authorization: `Bearer ${token}` };
      // Kept: the body of a response that nobody has any more is closed when it is collected.
      const first = await fetch(`${url}chats/a`, { method: 'POST', body: 'one', headers, signal: given.signal });
      await vi.waitFor(() => expect(server.requests).toHaveLength(1), { timeout: 30_000 });
      const second = await fetch(`${url}chats/a`, { method: 'POST', body: 'two', headers });
      expect(second.status).toBe(409);
      expect(second.headers.get('content-type')).toContain('application/json');
      const message = 'This chat is still answering. Wait for the end of its answer, or use another chat.';
      expect(await second.json()).toEqual({ error: { status: 409, message } });
      // Another chat is not held up.
      expect((await send(`${url}chats/b`, token, 'three')).at(-1)).toMatchObject({ type: 'run-end', reason: 'done' });
      expect([first.status, first.bodyUsed]).toEqual([200, false]);
      given.abort();
      const again = () => fetch(`${url}chats/a`, { method: 'POST', body: 'four', headers });
      const answer = await vi.waitFor(
        async () => {
          const response = await again();
          expect(response.status).toBe(200);
          return response;
        },
        { timeout: 30_000, interval: 50 },
      );
      expect(await answer.text()).toContain('run-end');
      expect((await send(`${url}chats/a`, token, 'five')).at(-1)).toMatchObject({ type: 'run-end', reason: 'done' });
    } finally {
      await server.close();
    }
  });

  test('decisions where nothing waits and bytes that are not text are refused, and the model is not asked', async () => {
    verifies('cli.serve.one');
    const server = await startWireServer({ replies: () => ({ text: 'ok' }) });
    try {
      const { match } = await startServing(['serve', 'http', '--base-url', server.baseUrl, '-m', 'm'], PAGE);
      const [, url = '', token = ''] = match;
      const post = async (path: string, body: string | Uint8Array<ArrayBuffer>) => {
        const init = { method: 'POST', body, headers: { authorization: `Bearer ${token}` } };
        const response = await fetch(`${url}chats/${path}`, init);
        return [response.status, await response.json()];
      };
      await send(`${url}chats/a`, token, 'one');
      const nothing = { error: { status: 409, message: 'No call of this chat waits for a decision.' } };
      expect(await post('a/decisions', '[]')).toEqual([409, nothing]);
      expect(await post('a/decisions', '{"callId":"c1","decision":"deny"}')).toEqual([409, nothing]);
      expect(await post('new/decisions', '[]')).toEqual([409, nothing]);
      const broken = { error: { status: 400, message: 'it is not valid UTF-8' } };
      expect(await post('a', Uint8Array.from([0x68, 0x69, 0xff, 0xfe]))).toEqual([400, broken]);
      expect(await post('a', Uint8Array.from([0x68, 0xc3]))).toEqual([400, broken]);
      expect(server.requests).toHaveLength(1);
    } finally {
      await server.close();
    }
  });

  test('a call that may change something waits for the decision of the page', async () => {
    verifies('cli.serve.http', 'cli.questions.whole');
    // What follows the first line has the form of a private key, which no event of the run shows.
    const script = `true -----BEGIN PRIVATE KEY-----\n${'A'.repeat(40)}\ntouch new\ntrue -----END PRIVATE KEY-----`;
    const call = { id: 'c1', name: 'run_command', arguments: { command: ['sh', '-c', script], cwd: '.' } };
    const server = await startWireServer({ replies: [{ calls: [call] }, { text: 'Done.' }] });
    const cwd = workspace();
    const args = ['serve', 'http', '--bundle', 'code_agent', '--base-url', server.baseUrl, '-m', 'm'];
    try {
      const { match } = await startServing(args, PAGE, cwd);
      const [, url = '', token = ''] = match;
      const asked = await send(`${url}chats/a`, token, 'write it');
      expect(asked.at(-1)).toMatchObject({ type: 'run-end', reason: 'approval' });
      expect(existsSync(join(cwd, 'new'))).toBe(false);
      const { pending: waiting = [] } = (asked.at(-1) ?? {}) as {
        pending?: readonly { callId: string; path: string[]; digest: string }[];
      };
      const [pending] = waiting;
      const linesOf = async (body: object, bearer = token) => {
        const headers = { authorization: `Bearer ${bearer}` };
        const response = await fetch(`${url}chats/a/calls`, { method: 'POST', body: JSON.stringify(body), headers });
        return [response.status, await response.text()] as const;
      };
      const [, given] = await linesOf({ digest: pending?.digest });
      const { lines } = JSON.parse(given) as { lines: { text: string }[] };
      expect(lines.map(({ text }) => text).slice(0, 4)).toEqual([
        'run_command',
        `$ ${shellQuote(['sh', '-c', script])}`,
        `folder: ${realpathSync(cwd)}`,
        'time limit: 120 s',
      ]);
      expect(lines[4]?.text).toMatch(/^(?:isolated: .+, no network|not isolated)$/);
      expect(JSON.stringify(asked.at(-1))).not.toContain('touch');
      expect([(await linesOf({}))[0], (await linesOf({}, 'x'))[0]]).toEqual([409, 401]);
      const decided = await send(
        `${url}chats/a/decisions`,
        token,
        JSON.stringify({ callId: pending?.callId, path: pending?.path, digest: pending?.digest, decision: 'allow' }),
      );
      expect(decided.at(-1)).toMatchObject({ type: 'run-end', reason: 'done' });
      expect(existsSync(join(cwd, 'new'))).toBe(true);
    } finally {
      await server.close();
    }
  });
});

describe('serve mcp', () => {
  test('serves the tools over stdio; a call that no rule allows is denied', async () => {
    verifies('cli.serve.mcp');
    const cwd = workspace();
    const { Client } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const client = new Client({ name: 'test', version: '1' });
    const args = [CLI, 'serve', 'mcp', '--bundle', 'code_agent', '--allow', 'write_file(*.md)'];
    const env = {
      PATH: process.env['PATH'] ?? '',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      HOME: cwd,
    };
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }));
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['calculate', 'write_file']));
      const write = (path: string) => client.callTool({ name: 'write_file', arguments: { path, content: 'x' } });
      expect((await write('a.md')).isError ?? false).toBe(false);
      expect((await write('a.ts')).isError).toBe(true);
      expect([existsSync(join(cwd, 'a.md')), existsSync(join(cwd, 'a.ts'))]).toEqual([true, false]);
    } finally {
      await client.close();
    }
  });

  test('over HTTP it prints an address and a token, and answers nobody without it', async () => {
    verifies('cli.serve.mcp');
    const { match, child, ended } = await startServing(
      ['serve', 'mcp', '--port', '0'],
      /MCP at (\S+), with .*Bearer ([\w-]+)"/,
    );
    const [, url = '', token = ''] = match;
    const ask = (headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
        }),
      });
    expect((await ask({})).status).toBe(401);
    expect(await (await ask({ authorization: `Bearer ${token}` })).text()).toContain('"serverInfo"');
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  test('serves the templates as prompts and the skills of the project; the files only with --files, and none that a rule, a .gitignore or its name keeps back', async () => {
    verifies('cli.serve.content');
    const head = '---\nname: release\ndescription: Releases.\n---\n';
    const cwd = workspace({
      'src/a.ts': 'let a;',
      '.env': 'KEY=1',
      'secret/id_rsa': 'key',
      'private/x.txt': 'private',
      'ignored/b.txt': 'b',
      '.gitignore': 'ignored\n',
      '.agents/skills/release/SKILL.md': `${head}# Steps`,
      '.agents/skills/release/.env': 'KEY=1',
      '.config/prompt-agent/templates/review.yaml': 'prompt: Review $file for $input.\ndefaults:\n  file: all\n',
      '.config/prompt-agent/templates/broken.yaml': 'prompt: [',
    });
    const { Client } = await import('@modelcontextprotocol/client');
    const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    const start = async (...more: readonly string[]) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      const args = [CLI, 'serve', 'mcp', '--deny', '*(private/**)', ...more];
      const env = {
        PATH: process.env['PATH'] ?? '',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
        HOME: cwd,
      };
      await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }));
      onTestFinished(() => client.close());
      return client;
    };
    const uris = async (client: Awaited<ReturnType<typeof start>>) =>
      (await client.listResources()).resources.map(({ uri }) => uri);
    const closed = await start();
    expect(await uris(closed)).toEqual(['skill://release/SKILL.md']);
    await expect(closed.readResource({ uri: 'workspace:///src/a.ts' })).rejects.toThrow('not found');
    const skills = new SkillsClient(closed);
    const [skill] = (await skills.list()).skills;
    expect(skill?.resources).toHaveLength(1);
    expect(skill && (await skills.read(skill))).toMatchObject({
      verified: true,
      body: expect.stringContaining('Steps'),
    });
    const { prompts } = await closed.listPrompts();
    expect(prompts).toMatchObject([
      {
        name: 'review',
        arguments: [
          { name: 'file', required: false },
          { name: 'input', required: true },
        ],
      },
    ]);
    expect(await closed.getPrompt({ name: 'review', arguments: { input: 'bugs' } })).toMatchObject({
      messages: [{ role: 'user', content: { text: 'Review all for bugs.' } }],
    });
    const open = await start('--files');
    const listed = await uris(open);
    expect(listed).toContain('workspace:///src/a.ts');
    expect(listed.filter((uri) => /env|id_rsa|private|ignored\/|config/.test(uri))).toEqual([]);
    expect(await open.readResource({ uri: 'workspace:///src/a.ts' })).toMatchObject({ contents: [{ text: 'let a;' }] });
    for (const path of [
      '.env',
      'secret/id_rsa',
      'private/x.txt',
      'ignored/b.txt',
      '.config/prompt-agent/templates/review.yaml',
    ])
      await expect(open.readResource({ uri: `workspace:///${path}` })).rejects.toMatchObject({ code: -32_602 });
  });

  test.each([[['serve', 'mcp', '--port', 'x']], [['serve', 'http', '--port', '99999']], [['serve']]])(
    '%j exits 2',
    async (args) => {
      verifies('cli.serve.mcp', 'cli.serve.http');
      const { promptHere } = await import('./program.ts');
      expect((await promptHere(args)).code).toBe(2);
    },
  );
});
