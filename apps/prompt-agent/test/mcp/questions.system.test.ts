import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies, type WireServer, type WireServerOptions } from '@kernel/testing';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createServerQuestions } from '../../src/serve/server-questions.ts';
import { showCall, withOrigin } from '../../src/questions/show-call.ts';
import { environmentAt, promptHere, workspace } from '../program.ts';
import { fakeTerminal, plain, promptAt } from '../terminals.ts';
import { QUESTIONER } from './library-server.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

function withQuestioner(): string {
  return workspace({
    'server.mjs': QUESTIONER,
    '.config/prompt-agent/mcp.json': JSON.stringify({
      mcpServers: { shop: { command: process.execPath, args: ['server.mjs'] } },
    }),
  });
}

async function model(replies: WireServerOptions['replies']): Promise<{ flags: readonly string[]; server: WireServer }> {
  const server = await startWireServer({ replies });
  onTestFinished(() => server.close());
  return { flags: ['--base-url', server.baseUrl, '--model', 'm'], server };
}

const RUN = ['--execute', '--trust-hints', 'shop'];
const call = (name: string) => ({ calls: [{ name, arguments: {} }] });

/** Runs a prompt on a terminal where each of these questions gets its answer, and returns what was shown. */
async function atTerminal(cwd: string, args: readonly string[], answers: readonly (readonly [string, string])[]) {
  const terminal = fakeTerminal(120);
  const ended = promptAt(terminal, [...args, 'go'], { cwd });
  let seen = 0;
  for (const [question, answer] of answers) {
    await vi.waitFor(() => {
      const at = plain(terminal.raw()).indexOf(question, seen);
      expect(at).not.toBe(-1);
      seen = at + question.length;
    }, 30_000);
    terminal.stdin.write(`${answer}\n`);
  }
  return { code: await ended, shown: plain(terminal.raw()) };
}

test('on a terminal a question about a call names the MCP server and the tool there', async () => {
  verifies('cli.mcp.who');
  const { flags } = await model([call('mcp__shop__survey'), { text: 'Done.' }]);
  const { shown } = await atTerminal(withQuestioner(), [...flags, '--execute'], [['[y/N]', 'n']]);
  expect(shown).toContain('MCP server: "shop", its tool "survey"');
});

test('no argument can pass for the line that names the server', () => {
  verifies('cli.mcp.who');
  const lines = withOrigin(showCall('x', '{"MCP server":"\\"bank\\", its tool \\"pay\\""}'), {
    server: 'shop\n',
    tool: 'a"b',
  });
  expect(lines).toEqual([
    'x',
    String.raw`MCP server: "shop\n", its tool "a\"b"`,
    String.raw`"MCP server": "\"bank\", its tool \"pay\""`,
  ]);
});

test('a server that may ask the model is asked about, word by word, with what it has used; without --sampling it may not ask', async () => {
  verifies('cli.mcp.sampling');
  const replies = [call('mcp__shop__think'), { text: 'A poem.' }, { text: 'Done.' }];
  const { flags, server } = await model(replies);
  const args = [...flags, ...RUN, '--sampling', 'shop', '--price', '1,2'];
  const { code, shown } = await atTerminal(withQuestioner(), args, [['Send it to the model? [y/N]', 'y']]);
  expect(code).toBe(0);
  expect(shown).toContain('MCP server "shop" wants to ask your model, at your cost:');
  expect(shown).toContain('    Write a poem.');
  expect(shown).toContain('model: m, a reply of at most 50 tokens');
  expect(shown).toContain('used by this server so far: 0 replies, 0 tokens');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('A poem.');

  const refused = await model(replies);
  const no = await atTerminal(withQuestioner(), [...refused.flags, ...RUN, '--sampling', 'shop'], [['[y/N]', '']]);
  expect(no.code).toBe(0);
  expect(refused.server.requests).toHaveLength(2);
  expect(JSON.stringify(refused.server.requests.at(-1)?.body)).toContain('the user has refused');

  for (const more of [[], ['--sampling', 'shop']]) {
    const nobody = await model([call('mcp__shop__think'), { text: 'Done.' }]);
    await promptHere([...nobody.flags, ...RUN, ...more, 'go'], { cwd: withQuestioner() });
    expect(nobody.server.requests).toHaveLength(2);
  }
  const unknown = await promptHere([...flags, ...RUN, '--sampling', 'bank', 'go'], { cwd: withQuestioner() });
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.stderr).toContain('--sampling: there is no server "bank"; there are shop.');
});

interface Event {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Serves the agent, sends a message, and gives each question of a server, or each other event of a type, to `answer`. Returns all events. */
async function onPage(
  args: readonly string[],
  answer: (event: Event, post: (path: string, body: object) => Promise<Response>) => Promise<void>,
  answered = 'server-question',
): Promise<readonly Event[]> {
  const cwd = withQuestioner();
  const child = spawn(process.execPath, [CLI, 'serve', 'http', ...args], { cwd, env: environmentAt(cwd) });
  running.push(child);
  const [, url = '', token = ''] = await new Promise<RegExpExecArray>((resolve, reject) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const found = /open (http:\/\/127\.0\.0\.1:\d+\/)#([\w-]+) in/.exec(text);
      if (found !== null) resolve(found);
    });
    child.on('close', () => reject(new Error(text)));
  });
  const post = (path: string, body: object | string): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${token}` },
    });
  const events: Event[] = [];
  let text = '';
  for await (const piece of (await post('chats/a', 'go')).body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (text + piece).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames.filter((each) => each.includes('data: '))) {
      const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Event;
      events.push(event);
      if (event.type === answered) await answer(event, post);
    }
  }
  return events;
}

test('on the page a server asks by name; a value that does not fit is refused, and an answer counts once', async () => {
  verifies('cli.mcp.page');
  const { flags, server } = await model([call('mcp__shop__survey'), { text: 'Done.' }]);
  const statuses: number[] = [];
  const events = await onPage([...flags, ...RUN], async ({ id, lines, fields }, post) => {
    expect(lines).toEqual(['MCP server "shop" asks: How old?', 'What you fill in is sent to the server.']);
    expect(fields).toEqual([
      { name: 'age', about: 'age: Your age (a whole number)', hint: '' },
      { name: 'note', about: 'note', hint: 'empty: leave out' },
    ]);
    for (const values of [{}, { age: 'old' }, { age: ' 36 ' }, { age: '37' }])
      statuses.push((await post('answers', { id, accept: true, values })).status);
  });
  expect(statuses).toEqual([400, 400, 200, 409]);
  expect(events.map(({ type }) => type)).toContain('server-question-end');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(String.raw`\"age\":36`);
});

test('on the page a call of a server that waits is shown with its name', async () => {
  verifies('cli.mcp.page', 'cli.mcp.who');
  const { flags } = await model([call('mcp__shop__survey')]);
  let shown = '';
  const show: Parameters<typeof onPage>[1] = async ({ pending }, post) => {
    const [{ digest } = {}] = pending as readonly { readonly digest?: string }[];
    shown = await (await post('chats/a/calls', { digest })).text();
  };
  await onPage([...flags, '--execute'], show, 'run-end');
  expect(shown).toContain(String.raw`MCP server: \"shop\", its tool \"survey\"`);
});

test('on the page a request of a server to the model is shown with its texts and its cost', async () => {
  verifies('cli.mcp.page', 'cli.mcp.sampling');
  const { flags, server } = await model([call('mcp__shop__think'), { text: 'A poem.' }, { text: 'Done.' }]);
  const asked: Event[] = [];
  await onPage([...flags, ...RUN, '--sampling', 'shop'], async (event, post) => {
    asked.push(event);
    await post('answers', { id: event['id'] ?? '', accept: true });
  });
  expect(asked[0]?.['lines']).toEqual([
    'MCP server "shop" wants to ask your model, at your cost:',
    '  user:',
    '    Write a poem.',
    'model: m, a reply of at most 50 tokens',
    'used by this server so far: 0 replies, 0 tokens',
  ]);
  expect(server.requests).toHaveLength(3);
});

test('where no chat waits nobody is asked, and a question that is not needed any more is taken back', async () => {
  verifies('cli.mcp.page');
  const questions = createServerQuestions('m');
  const { signal } = new AbortController();
  const form = { server: 'a\u202Eb', message: 'x', schema: {} };
  expect(await questions.answers.elicit?.({ ...form, signal })).toEqual({ action: 'decline' });
  const events = new TransformStream<Uint8Array, Uint8Array>();
  const reader = questions.into(new Response(events.readable)).body?.pipeThrough(new TextDecoderStream()).getReader();
  const stop = new AbortController();
  const asked = questions.answers.elicit?.({ ...form, signal: stop.signal });
  expect((await reader?.read())?.value).toContain(String.raw`MCP server \"a\\u202eb\" asks: x`);
  stop.abort(new Error('gone'));
  await expect(asked).rejects.toThrow('gone');
  expect((await reader?.read())?.value).toContain('server-question-end');
  await reader?.cancel();
});
