import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientApp, McpServer, RequestPermissionRequest } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { LIBRARY } from '../mcp/library-server.ts';
import { choose, type TestEditor, withEditor } from './editor.ts';

/** A server with one tool, whose description is in a file, and which asks for a name before it answers. */
const ASKING = `
import { createInterface } from 'node:readline';
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
let waiting;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'server/discover') console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'greet', description: process.argv[2] ?? 'Greets.', inputSchema: { type: 'object', properties: {} }, annotations: { readOnlyHint: true } }] });
  else if (method === 'tools/call') {
    waiting = id;
    const page = { mode: 'url', elicitationId: 'e', url: 'https://example.com/sign-in', message: 'Sign in' };
    console.log(JSON.stringify({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: process.argv[3] === 'url' ? page : { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } }));
  } else if (id === 'q') answer(waiting, { content: [{ type: 'text', text: 'Hello ' + (result?.content?.name ?? result?.action ?? 'nobody') + '!' }] });
});
`;

const isServer = ({ toolCall }: RequestPermissionRequest) => toolCall.toolCallId.startsWith('question-');
const yes = (request: RequestPermissionRequest) => choose(request, isServer(request) ? 'yes' : 'once');

function server(name: string, file: string, args: readonly string[] = [], log?: string): McpServer {
  const env = log === undefined ? [] : [{ name: 'LIBRARY_LOG', value: log }];
  return { name, command: process.execPath, args: [file, ...args], env };
}

async function session({ agent, cwd }: TestEditor, ...mcpServers: readonly McpServer[]): Promise<string> {
  return (await agent.request('session/new', { cwd, mcpServers: [...mcpServers] })).sessionId;
}

const GREET = { calls: [{ name: 'mcp__crew__greet', arguments: {} }] };

test('a server that the editor gives is asked about once, by what it would start, and then its tools are used', async () => {
  verifies('cli.acp.servers');
  const replies = [GREET, { text: 'Done.' }, GREET, { text: 'Done.' }];
  const forms = (app: ClientApp) =>
    app.onRequest('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  const options = {
    files: { 'server.mjs': ASKING },
    answer: yes,
    extend: forms,
    capabilities: { elicitation: { form: {} } },
  };
  const folder = await withEditor({ ...options, replies }, async (editor) => {
    await editor.prompt(await session(editor, server('crew', 'server.mjs')), 'Greet.');
    const question = editor.questions.find(isServer);
    expect(JSON.stringify(question?.toolCall.content)).toContain('server.mjs');
    expect(question?.toolCall.title).toBe(
      'The editor has an MCP server "crew" for this folder that you have not used before. Use it?',
    );
    expect(editor.asked()[1]).toContain('Hello Ada!');
    await editor.prompt(await session(editor, server('crew', 'server.mjs')), 'Greet again.');
    expect(editor.questions.filter(isServer).length).toBe(1);
    return editor.cwd;
  });
  const changed = server('crew', 'server.mjs', ['Sends all files to a stranger.']);
  await withEditor({ ...options, replies, folder }, async (editor) => {
    await editor.prompt(await session(editor, changed), 'Greet.');
    const shown = editor.questions.filter(isServer).map(({ toolCall }) => JSON.stringify(toolCall.content));
    expect(shown.length).toBe(2);
    expect(shown[1]).toContain('not those that you used before');
    expect(shown[1]).toContain('Sends all files to a stranger.');
  });
});

test('a server that the user refuses is not started, in this session and the next ones', async () => {
  verifies('cli.acp.servers');
  const options = {
    files: { 'library.mjs': LIBRARY },
    answer: (request: RequestPermissionRequest) => choose(request, 'no'),
  };
  await withEditor({ ...options, replies: [{ text: 'One.' }, { text: 'Two.' }] }, async (editor) => {
    const given = server('library', 'library.mjs', [], join(editor.cwd, 'log'));
    await editor.prompt(await session(editor, given), 'One.');
    await editor.prompt(await session(editor, given), 'Two.');
    expect(editor.questions.length).toBe(1);
    expect(existsSync(join(editor.cwd, 'log'))).toBe(false);
    expect(editor.asked()[0]).not.toContain('mcp__library__lend');
  });
});

test('a server that cannot be used is left out, and the session works without it', async () => {
  verifies('cli.acp.servers');
  await withEditor({ replies: [{ text: 'Here.' }], answer: yes }, async (editor) => {
    await editor.prompt(await session(editor, server('none', 'missing.mjs')), 'Are you there?');
    expect(editor.said()).toBe('Here.');
    expect(editor.stderr()).toContain('none');
  });
});

test('a server over a transport that is not offered is refused by name, before anything of it is used', async () => {
  verifies('cli.acp.servers');
  await withEditor({ replies: [] }, async (editor) => {
    const sse: McpServer = { type: 'sse', name: 'old', url: 'http://127.0.0.1:9/', headers: [] };
    await expect(session(editor, sse)).rejects.toThrow('"sse"');
  });
});

test('a server has ended when its session is closed', async () => {
  verifies('cli.acp.servers');
  const replies = [{ calls: [{ name: 'mcp__library__lend', arguments: {} }] }, { text: 'Done.' }];
  await withEditor(
    { replies, files: { 'library.mjs': `${LIBRARY}\nlog('pid ' + process.pid);` }, answer: yes },
    async (editor) => {
      const log = join(editor.cwd, 'log');
      const given = server('library', 'library.mjs', [], log);
      const sessionId = await session(editor, given);
      await editor.prompt(sessionId, 'Lend.');
      const pid = Number(/pid (\d+)/.exec(readFileSync(log, 'utf8'))?.[1]);
      await editor.agent.request('session/close', { sessionId });
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    },
  );
});

test('a page that a server wants opened is one of the editor, with the server and the address named', async () => {
  verifies('cli.acp.servers');
  const asked: unknown[] = [];
  const extend = (app: ClientApp) =>
    app.onRequest('elicitation/create', ({ params }) => {
      asked.push(params);
      return { action: 'accept' };
    });
  const options = { replies: [GREET, { text: 'Done.' }], files: { 'server.mjs': ASKING }, answer: yes, extend };
  await withEditor({ ...options, capabilities: { elicitation: { url: {} } } }, async (editor) => {
    await editor.prompt(await session(editor, server('crew', 'server.mjs', ['Greets.', 'url'])), 'Greet.');
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://example.com/sign-in' }]);
    expect(JSON.stringify(asked)).toContain('crew');
    expect(editor.asked()[1]).toContain('Hello accept!');
  });
});

test('a server over HTTP gets the headers that the editor gives for it, and these are not shown', async () => {
  verifies('cli.acp.servers');
  const { serveHttp } = await import('@kernel/mcp');
  const list = [{ name: 'greet', description: 'Greets.', parameters: { type: 'object' }, effect: 'read' }] as const;
  const served = await serveHttp(
    {
      list: () => list,
      prepare: ({ arguments: text }) => ({
        tool: list[0],
        arguments: text,
        run: () => Promise.resolve({ forLLM: 'Hello over HTTP!' }),
      }),
    },
    { token: 'secret-token-of-the-editor' },
  );
  try {
    await withEditor({ replies: [GREET, { text: 'Done.' }], answer: yes }, async (editor) => {
      const headers = [{ name: 'authorization', value: 'Bearer secret-token-of-the-editor' }];
      await editor.prompt(await session(editor, { type: 'http', name: 'crew', url: served.url, headers }), 'Greet.');
      expect(editor.asked()[1]).toContain('Hello over HTTP!');
      expect(JSON.stringify(editor.questions)).toContain(served.url);
      expect(JSON.stringify(editor.questions)).not.toContain('secret-token-of-the-editor');
    });
  } finally {
    await served.close();
  }
});

test('the prompts of a server are commands of the session, and are sent when they are given', async () => {
  verifies('cli.acp.commands');
  const options = {
    replies: [{ text: 'One.' }, { text: 'Reviewed.' }],
    files: { 'library.mjs': LIBRARY },
    answer: yes,
  };
  await withEditor(options, async (editor) => {
    const sessionId = await session(editor, server('library', 'library.mjs'));
    await editor.prompt(sessionId, 'One.');
    const offered = () =>
      editor.updates.flatMap((update) =>
        update.sessionUpdate === 'available_commands_update' ? update.availableCommands.map(({ name }) => name) : [],
      );
    await expect.poll(offered, { timeout: 20_000 }).toContain('library:review');
    await editor.prompt(sessionId, '/library:review file=a.ts');
    expect(editor.asked()[1]).toContain(String.raw`review {\"file\":\"a.ts\"}`);
    expect(editor.said()).toContain('Reviewed.');
  });
});

test('a turn that is cancelled while a server starts, or is asked about, ends, and the next one begins anew', async () => {
  verifies('cli.acp.cancel');
  let withdrawn = 0;
  let isAnswered = false;
  const answer = (request: RequestPermissionRequest, signal: AbortSignal) => {
    if (isAnswered) return choose(request, 'yes');
    signal.addEventListener('abort', () => (withdrawn += 1), { once: true });
    return new Promise<never>(() => undefined);
  };
  const files = { 'hangs.mjs': 'process.stdin.resume(); setInterval(() => undefined, 1000);' };
  await withEditor({ replies: [{ text: 'Here.' }], files, answer }, async (editor) => {
    const { agent, questions, prompt, said } = editor;
    const sessionId = await session(editor, server('hangs', 'hangs.mjs'));
    const first = prompt(sessionId, 'One.');
    await expect.poll(() => questions.length).toBe(1);
    await agent.notify('session/cancel', { sessionId });
    expect(await first).toMatchObject({ stopReason: 'cancelled' });
    await expect.poll(() => withdrawn).toBe(1);
    isAnswered = true;
    const second = prompt(sessionId, 'Two.');
    await expect.poll(() => questions.length).toBe(2);
    await agent.notify('session/cancel', { sessionId });
    expect(await second).toMatchObject({ stopReason: 'cancelled' });
    await agent.request('session/resume', { sessionId, cwd: editor.cwd });
    await prompt(sessionId, 'Three.');
    expect(said()).toBe('Here.');
  });
});

test('servers without a name, or with the name of another, are refused', async () => {
  verifies('cli.acp.servers');
  await withEditor({ replies: [] }, async (editor) => {
    await expect(session(editor, server('', 'a.mjs'))).rejects.toThrow('no name');
    await expect(session(editor, server('a', 'a.mjs'), server('a', 'b.mjs'))).rejects.toThrow('"a"');
  });
});
