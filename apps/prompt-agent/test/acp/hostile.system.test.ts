import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { dropLongMessages, type LongMessage } from '../../src/acp/long-messages.ts';
import { environmentAt, workspace } from '../program.ts';
import { withEditor } from './editor.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

/** The program as a process, to which any bytes can be written. */
async function startRaw(replies: Parameters<typeof startWireServer>[0] = {}) {
  const server = await startWireServer({ replies: () => ({ text: 'Here.' }), ...replies });
  const cwd = workspace({ 'a.txt': 'one\n' });
  const args = [CLI, 'acp', '--base-url', server.baseUrl, '--model', 'm-1'];
  const child = spawn(process.execPath, args, {
    cwd,
    env: environmentAt(cwd),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stdout }).on('line', (line) =>
    lines.push(JSON.parse(line) as Record<string, unknown>),
  );
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = (id: unknown) => expect.poll(() => lines.find((line) => line['id'] === id), { timeout: 20_000 });
  return {
    child,
    cwd,
    lines,
    send,
    answered,
    write: (text: string) => void child.stdin.write(text),
    async initialize() {
      send({ id: 'i', method: 'initialize', params: { protocolVersion: 1, clientCapabilities: {} } });
      await answered('i').toMatchObject({ result: { protocolVersion: 1 } });
    },
    /** The session that a request has begun. */
    sessionOf(request: unknown): string {
      const result = lines.find(({ id }) => id === request)?.['result'] as { sessionId?: string } | undefined;
      return result?.sessionId ?? '';
    },
    async end() {
      child.stdin.end();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await server.close();
      return child.exitCode;
    },
  };
}

test('what is not a message is answered with an error, and the next message counts', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  program.write('not JSON\n[]\n12\n{"jsonrpc":"2.0"}\n\n{"jsonrpc":"1.0","id":1,"method":"initialize"}\n');
  await program.initialize();
  program.write('{"jsonrpc":"2.0","id":"half","method":"sess');
  program.write('ion/list","params":{}}\r\n');
  await program.answered('half').toMatchObject({ result: { sessions: [] } });
  const codes = program.lines.flatMap(({ error }) => (error as { code?: number } | undefined)?.code ?? []);
  expect(codes).toContain(-32_700);
  expect(await program.end()).toBe(0);
});

test('a method that there is not, parameters that do not fit and a session that there is not are errors that name it', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  program.send({ id: 0, method: 'session/new', params: { cwd: program.cwd, mcpServers: [] } });
  await program.answered(0).toMatchObject({ error: { code: -32_600 } });
  await program.initialize();
  const wrong: readonly (readonly [string, object, number])[] = [
    ['session/steal', {}, -32_601],
    ['fs/read_text_file', { sessionId: 's', path: '/etc/passwd' }, -32_601],
    ['session/new', { cwd: 7 }, -32_602],
    ['session/new', { cwd: 'relative', mcpServers: [] }, -32_602],
    ['session/prompt', { sessionId: '__proto__', prompt: [] }, -32_002],
    ['session/prompt', { sessionId: '../../etc', prompt: [{ type: 'text', text: 'x' }] }, -32_002],
    ['session/load', { sessionId: 'f'.repeat(32), cwd: '/', mcpServers: [] }, -32_002],
    ['session/set_mode', { sessionId: 'none', modeId: 'act' }, -32_002],
    ['session/list', { cursor: 'x' }, -32_602],
    ['authenticate', { methodId: 'constructor' }, -32_602],
  ];
  for (const [index, [method, params, code]] of wrong.entries()) {
    program.send({ id: index + 1, method, params });
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await program.answered(index + 1).toMatchObject({ error: { code } });
  }
  expect(await program.end()).toBe(0);
});

test('answers to requests that were not made, twice or with an id of another one, change nothing', async () => {
  verifies('cli.acp.hostile');
  const edit = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };
  const replies = [{ calls: [edit] }, { text: 'Refused.' }];
  const program = await startRaw({
    replies: ({ method }) => (method === 'GET' ? { text: '' } : (replies.shift() ?? { text: 'x' })),
  });
  await program.initialize();
  for (const id of [0, 1, 'q', null])
    program.send({ id, result: { outcome: { outcome: 'selected', optionId: 'once' } } });
  program.send({ id: 1, method: 'session/new', params: { cwd: program.cwd, mcpServers: [] } });
  await program.answered(1).toMatchObject({ result: {} });
  const sessionId = program.sessionOf(1);
  program.send({ id: 2, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'Go.' }] } });
  await expect.poll(() => program.lines.some(({ method }) => method === 'session/request_permission')).toBe(true);
  const question = program.lines.find(({ method }) => method === 'session/request_permission');
  const answer = (optionId: string) => ({ result: { outcome: { outcome: 'selected', optionId } } });
  const params = question?.['params'] as { options: { optionId: string }[] } | undefined;
  const options = params?.options.map(({ optionId }) => optionId) ?? [];
  program.send({ id: 'another', ...answer(options[0] ?? '') });
  program.send({ id: question?.['id'], ...answer(options.at(-1) ?? '') });
  program.send({ id: question?.['id'], ...answer(options[0] ?? '') });
  await program.answered(2).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(readFileSync(`${program.cwd}/a.txt`, 'utf8')).toBe('one\n');
  expect(await program.end()).toBe(0);
});

test('a request with the id of one that is open is answered, and neither is lost', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  await program.initialize();
  for (let count = 0; count < 3; count += 1) program.send({ id: 9, method: 'session/list', params: {} });
  await expect.poll(() => program.lines.filter(({ id }) => id === 9).length).toBe(3);
  expect(await program.end()).toBe(0);
});

test('a flood of messages is answered, each once', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  await program.initialize();
  const count = 2000;
  let text = '';
  for (let id = 1; id <= count; id += 1)
    text += `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/nothing', params: {} })}\n`;
  for (let id = 1; id <= count; id += 1)
    text += `${JSON.stringify({ jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 'x' } })}\n`;
  program.write(text);
  await program.answered(count).toMatchObject({ error: { code: -32_601 } });
  expect(new Set(program.lines.map(({ id }) => id)).size).toBe(count + 1);
  expect(await program.end()).toBe(0);
});

test('a message that is too long is answered with the limit, is not held in memory, and the next message counts', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  await program.initialize();
  const piece = 'x'.repeat(1024 * 1024);
  program.write('{"jsonrpc":"2.0","id":"long","method":"session/prompt","params":{"prompt":[{"type":"text","text":"');
  for (let count = 0; count < 70; count += 1) program.write(piece);
  program.write('"}]}}\n');
  program.write('{"params":{"a":"');
  for (let count = 0; count < 70; count += 1) program.write(piece);
  program.write('"},"jsonrpc":"2.0","method":"session/prompt","id":12}\n');
  const tooLong = { error: { code: -32_600, message: expect.stringContaining('more than 67108864 bytes') as unknown } };
  await program.answered('long').toMatchObject(tooLong);
  await program.answered(12).toMatchObject(tooLong);
  program.send({ id: 'next', method: 'session/list', params: {} });
  await program.answered('next').toMatchObject({ result: { sessions: [] } });
  expect(await program.end()).toBe(0);
});

test('lines are passed on as they came but for long ones, in whatever pieces they come', async () => {
  verifies('cli.acp.hostile');
  const text =
    '{"id":1}\r\n\n{"id":2,"result":"long, long"}\n{"jsonrpc":"2.0","id":3,"method":"m","params":"long, long"}\nlast';
  for (const size of [1, 2, 7, 1000]) {
    const dropped: LongMessage[] = [];
    const stream = dropLongMessages((message) => {
      dropped.push(message);
      return message.isAnswer ? '{"id":2,"error":1}' : undefined;
    }, 12);
    const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
      text.slice(at * size, (at + 1) * size),
    );
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const bytes = await new Response(
      ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()).pipeThrough(stream),
    ).text();
    const lines = bytes.split('\n');
    expect(lines.filter((line) => line === '{"id":2,"error":1}' || line === '{"id":1}\r' || line === 'last')).toEqual([
      '{"id":1}\r',
      '{"id":2,"error":1}',
      'last',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(18);
    expect(dropped).toEqual([
      { id: 2, isAnswer: true },
      { id: 3, isAnswer: false },
    ]);
  }
});

test('an editor that dies while a turn runs ends the program and what it started, and the session is kept', async () => {
  verifies('cli.acp.hostile');
  const wait = { name: 'run_command', arguments: { command: ['sleep', '600'] } };
  const replies = [{ calls: [wait] }];
  const program = await startRaw({
    replies: ({ method }) => (method === 'GET' ? { text: '' } : (replies.shift() ?? { text: 'Again.' })),
  });
  await program.initialize();
  program.send({ id: 1, method: 'session/new', params: { cwd: program.cwd, mcpServers: [] } });
  await program.answered(1).toMatchObject({ result: {} });
  const sessionId = program.sessionOf(1);
  program.send({ id: 2, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'Wait.' }] } });
  await expect
    .poll(() => program.lines.some(({ method }) => method === 'session/request_permission'), { timeout: 20_000 })
    .toBe(true);
  const ended = once(program.child, 'exit');
  program.child.stdin.destroy();
  program.child.stdout.destroy();
  await ended;
  await program.end();
  await withEditor({ replies: [{ text: 'Again.' }], folder: program.cwd }, async ({ agent, cwd, prompt }) => {
    const { sessions } = await agent.request('session/list', {});
    expect(sessions).toMatchObject([{ sessionId, title: 'Wait.' }]);
    await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(await prompt(sessionId, 'Go on.')).toMatchObject({ stopReason: 'end_turn' });
  });
});

test('no secret of the vendor is sent to an editor, and control characters in text are shown, not sent', async () => {
  verifies('cli.acp.hostile');
  const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
  const replies = [{ text: `The key is ${key}, \u001B[2Jand more.` }];
  await withEditor({ replies, env: { OPENAI_API_KEY: key } }, async ({ begin, prompt, updates, said }) => {
    await prompt(await begin(), 'Tell me.');
    expect(JSON.stringify(updates)).not.toContain(key);
    expect(said()).not.toContain('\u001B');
    expect(said()).toContain('and more.');
  });
});

test('an editor that closes only its own reading end ends the program, in the middle of a turn and after it', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw({ replies: () => ({ text: 'word '.repeat(2000), fault: { delayMs: 5 } }) });
  await program.initialize();
  program.send({ id: 1, method: 'session/new', params: { cwd: program.cwd, mcpServers: [] } });
  await program.answered(1).toMatchObject({ result: {} });
  const params = { sessionId: program.sessionOf(1), prompt: [{ type: 'text', text: 'Go.' }] };
  program.send({ id: 2, method: 'session/prompt', params });
  await expect.poll(() => JSON.stringify(program.lines), { timeout: 20_000 }).toContain('agent_message_chunk');
  const ended = once(program.child, 'exit');
  program.child.stdout.destroy();
  await ended;
  await program.end();
});

test('messages that were made up by chance are answered, and none of them ends the program', async () => {
  verifies('cli.acp.hostile');
  const program = await startRaw();
  await program.initialize();
  let state = 20_261_127;
  const random = (below: number): number => {
    // A linear congruential generator: the same messages each time.
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  const methods = [
    'initialize',
    'authenticate',
    'session/new',
    'session/load',
    'session/list',
    'session/prompt',
    'session/set_mode',
    'session/set_config_option',
    'session/close',
    'session/delete',
    'session/fork',
    'session/cancel',
    '$/cancel_request',
    '_x/y',
    '',
  ];
  const values: readonly unknown[] = [
    null,
    true,
    0,
    -1,
    1e308,
    '',
    '/',
    program.cwd,
    '__proto__',
    'f'.repeat(32),
    [],
    {},
    [null],
    { type: 'text' },
    { type: 'text', text: 'x' },
    '\uD800',
  ];
  const names = [
    'sessionId',
    'cwd',
    'mcpServers',
    'prompt',
    'modeId',
    'configId',
    'value',
    'cursor',
    'methodId',
    'requestId',
    '_meta',
    'protocolVersion',
  ];
  const value = (depth: number): unknown => {
    const kind = random(10);
    if (depth > 2 || kind < 6) return values[random(values.length)];
    if (kind < 8) return Array.from({ length: random(4) }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length: random(5) }, () => [names[random(names.length)], value(depth + 1)]));
  };
  const count = 400;
  for (let id = 1; id <= count; id += 1) {
    const message = { jsonrpc: '2.0', id, method: methods[random(methods.length)], params: value(0) };
    const text = JSON.stringify(message);
    program.write(random(10) === 0 ? `${text.slice(0, random(text.length))}\n` : `${text}\n`);
  }
  program.send({ id: 'last', method: 'session/list', params: {} });
  await program.answered('last').toMatchObject({ result: { sessions: expect.any(Array) as unknown } });
  expect(program.child.exitCode).toBe(null);
  expect(await program.end()).toBe(0);
});
