import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SILENCE_MS, silence } from '../src/questions/ask.ts';
import { promptHere, workspace } from './program.ts';
import { call, terminal, tool } from './execute.support.ts';

const TOOLS = new URL('../../../packages/tools/dist/index.js', import.meta.url).href;

const MODULE = `
import { writeFileSync } from 'node:fs';
import { bindTool } from ${JSON.stringify(TOOLS)};
const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
export const tools = [
  bindTool({ name: 'greet', description: 'Greets a person by name.', parameters, effect: 'read' }, ({ name }) => \`Hello \${name}!\`),
  bindTool({ name: 'promote', description: 'Promotes a person by name.', parameters, effect: 'write' }, ({ name }) => {
    writeFileSync('promoted.txt', name);
    return 'done';
  }),
];
`;

test('--execute runs the tools of a module beside the built-in ones and goes on to the answer', async () => {
  verifies('cli.execute');
  const cwd = workspace({ 'my.tools.mjs': MODULE, 'a.txt': 'text' });
  const run = (text: string) => promptHere(['--execute', '--tools', 'my.tools.mjs', text], { cwd });
  expect(await run('please greet Ada Lovelace')).toMatchObject({ code: 0, stdout: 'Hello Ada Lovelace!\n' });
  expect(await run('read a.txt')).toMatchObject({ code: 0, stdout: 'text\n' });
});

test('without a terminal a tool that writes does not run, and ends the run with exit 4; offline it is not even asked for', async () => {
  verifies('cli.execute');
  const cwd = workspace({ 'my.tools.mjs': MODULE });
  const calls = [{ id: 'c1', name: 'promote', arguments: { name: 'Ada' } }];
  const server = await startWireServer({ replies: [{ calls }, { text: 'Denied.' }] });
  const args = ['--execute', '--tools=my.tools.mjs', 'please promote Ada'];
  const asked = await promptHere(['--base-url', server.baseUrl, '--model', 'm', ...args], { cwd });
  await server.close();
  expect(asked).toMatchObject({ code: 4, stdout: '' });
  expect(asked.stderr).toContain("The flag --allow 'promote(name=Ada)' would allow it.");
  expect(server.requests).toHaveLength(1);
  expect(await promptHere(args, { cwd })).toMatchObject({ code: 3, stdout: '' });
  expect(existsSync(join(cwd, 'promoted.txt'))).toBe(false);
});

test.each([
  [['--execute', 'hi'], {}, '--execute needs --tools'],
  [['--tools', 'x.mjs', 'hi'], {}, '--tools needs --execute'],
  [['--execute', '--tools', 'none.mjs', 'hi'], {}, '--tools: "none.mjs" cannot be loaded'],
  [['--execute', '--tools', 'x.mjs', 'hi'], { 'x.mjs': 'export default 1' }, 'exports no list of tools'],
  [['--execute', '--tools', 'x.mjs', 'hi'], { 'x.mjs': 'export default [{ name: "a" }]' }, 'entry 0 of "x.mjs"'],
  [['--execute', '--tools', 'x.mjs', 'hi'], { 'x.mjs': MODULE.replace("'greet'", "'read_file'") }, 'read_file'],
])('%j exits 2 and says what is wrong', async (args, files, said) => {
  const { code, stdout, stderr } = await promptHere(args, { cwd: workspace(files) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test.each([
  ['y\n', 'allow'],
  ['YES\n', 'allow'],
  ['yellow\n', 'deny'],
  [undefined, 'deny'],
])('on a terminal the answer %j means %s', async (typed, decision) => {
  verifies('cli.execute');
  const { approve, stdin, shown } = terminal();
  const { signal } = new AbortController();
  const decided = approve({ call, tool, signal });
  await vi.waitFor(() => expect(shown()).toContain('[y/N]'), 60_000);
  if (typed === undefined) stdin.end();
  else stdin.write(typed);
  expect(await decided).toMatchObject({ decision });
  expect(shown()).toBe(
    [
      'promote',
      '  {"name":"\\x1b[2J"}',
      'y once · s this session · a always · e edit the arguments · n, or why not',
      's and a allow: promote(x)',
      'Run it? It may change something. [y/N]\n',
    ].join('\n'),
  );
});

test('an answer holds once, for the session or always, and a sentence is a reason to deny', async () => {
  verifies('cli.approval.answers');
  const answers = async (...typed: readonly string[]) => {
    const asking = terminal();
    const decided = asking.approve({ call, tool, signal: new AbortController().signal });
    for (const [index, line] of typed.entries()) {
      // oxlint-disable-next-line no-await-in-loop -- each question before its answer
      await vi.waitFor(() => expect(asking.shown()).toContain(index === 0 ? '[y/N]' : 'as JSON'), 60_000);
      asking.stdin.write(line);
    }
    const { decision, ...rest } = await decided;
    return { decision, ...rest, remembered: asking.remembered, kept: asking.kept };
  };
  const rule = { allow: 'promote(x)' };
  expect(await answers('y\n')).toEqual({ decision: 'allow', remembered: [], kept: [] });
  expect(await answers('s\n')).toEqual({ decision: 'allow', remembered: [rule], kept: [] });
  expect(await answers('a\n')).toEqual({ decision: 'allow', remembered: [rule], kept: [rule] });
  const denied = { decision: 'deny', reason: 'The user said no. The user says: use greet', remembered: [], kept: [] };
  expect(await answers('use greet\n')).toEqual(denied);
});

test.each(['s\n', 'a\n'])('what the answer %j allows runs, also where its rule cannot be used', async (typed) => {
  verifies('cli.approval.answers');
  const asking = terminal(() => {
    throw new Error('it is too long');
  });
  const decided = asking.approve({ call, tool, signal: new AbortController().signal });
  await vi.waitFor(() => expect(asking.shown()).toContain('[y/N]'), 60_000);
  asking.stdin.write(typed);
  expect(await decided).toEqual({ decision: 'allow' });
  expect(asking.shown()).toContain('this call alone is allowed, because the rule cannot be used: it is too long');
  expect(asking.kept).toEqual([]);
});

test('the arguments can be edited before the call runs; an empty line means no', async () => {
  verifies('cli.approval.answers');
  const asking = terminal();
  const decided = asking.approve({ call, tool, signal: new AbortController().signal });
  await vi.waitFor(() => expect(asking.shown()).toContain('[y/N]'), 60_000);
  asking.stdin.write('e\n');
  // What can be edited is the whole text, and its control characters are no keys.
  const draft = () => asking.shown().split('as JSON')[1];
  await vi.waitFor(() => expect(draft()).toContain('{"name":"\\u001b[2J"}'), 60_000);
  asking.stdin.write('\u0015{"name":\r');
  await vi.waitFor(() => expect(asking.shown()).toContain('not a JSON object'), 60_000);
  await vi.waitFor(() => expect(asking.shown().split('as JSON')).toHaveLength(3), 60_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  asking.stdin.write('\u0015{"name":"Ada"}\r');
  expect(await decided).toEqual({ decision: 'edit', arguments: '{"name":"Ada"}' });
});

test('what was typed before the question is no answer', async () => {
  verifies('cli.execute', 'cli.approval.whole');
  const { approve, stdin, shown } = terminal();
  stdin.write('yes\ny\n');
  const decided = approve({ call, tool, signal: new AbortController().signal });
  stdin.write('y\n');
  await vi.waitFor(() => expect(shown()).toContain('[y/N]'), 60_000);
  stdin.write('n\n');
  expect(await decided).toMatchObject({ decision: 'deny' });
});

test('what was typed after an answer and before the next question is no answer either', async () => {
  verifies('cli.approval.whole');
  const { approve, stdin, shown } = terminal();
  const ask = () => approve({ call, tool, signal: new AbortController().signal });
  const first = ask();
  await vi.waitFor(() => expect(shown()).toContain('[y/N]'), 60_000);
  stdin.write('y\n');
  expect(await first).toMatchObject({ decision: 'allow' });
  stdin.write('y\n');
  const second = ask();
  await vi.waitFor(() => expect(shown().split('[y/N]')).toHaveLength(3), 60_000);
  stdin.write('n\n');
  expect(await second).toMatchObject({ decision: 'deny' });
});

test('what was typed before the question is no answer where the program had no time to read it', async () => {
  verifies('cli.approval.whole');
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const keyboard = connect(port, '127.0.0.1');
  const [stdin] = await accepted;
  onTestFinished(() => {
    for (const each of [keyboard, stdin]) each.destroy();
    server.close();
  });
  const silent = silence(stdin, new AbortController().signal, SILENCE_MS);
  let wasRead = '';
  stdin.on('data', (piece) => (wasRead += String(piece)));
  keyboard.write('y\n');
  // Its timers are due before it reads again.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * SILENCE_MS);
  await silent;
  expect(wasRead).toBe('y\n');
});

test('a call that is longer than the screen is shown page by page, and cannot be approved unseen', async () => {
  verifies('cli.approval.whole');
  const long = JSON.stringify({ name: 'x'.repeat(3000), last: 'the end' });
  const { approve, stdin, shown } = terminal();
  const decided = approve({
    call: { ...call, arguments: long },
    tool,
    signal: new AbortController().signal,
  });
  await vi.waitFor(() => expect(shown()).toContain('(page 1 of'), 60_000);
  expect(shown()).not.toContain('the end');
  stdin.write('\n');
  await vi.waitFor(() => expect(shown()).toContain('(page 2 of'), 60_000);
  stdin.write('\n');
  await vi.waitFor(() => expect(shown()).toContain('[y/N]'), 60_000);
  expect(shown()).toContain('last: the end');
  stdin.write('y\n');
  expect(await decided).toMatchObject({ decision: 'allow' });
  const denied = approve({
    call: { ...call, arguments: long },
    tool,
    signal: new AbortController().signal,
  });
  await vi.waitFor(() => expect(shown().split('(page 1 of')).toHaveLength(3), 60_000);
  stdin.write('y\n');
  await vi.waitFor(() => expect(shown()).toContain('This is not taken as an answer'), 60_000);
  expect(shown().split('[y/N]')).toHaveLength(2);
  stdin.write('n\n');
  expect(await denied).toMatchObject({ decision: 'deny' });
});

test('an input that has ended denies, also at the next question', async () => {
  verifies('cli.approval.whole');
  const { approve, stdin } = terminal();
  stdin.resume().end();
  await vi.waitFor(() => expect(stdin.readableEnded).toBe(true), 60_000);
  const ask = { call, tool, signal: new AbortController().signal };
  expect(await approve(ask)).toMatchObject({ decision: 'deny' });
});

test('an abort ends the wait for silence, too', async () => {
  verifies('cli.approval.whole');
  const { approve, stdin, shown } = terminal();
  const typing = setInterval(() => stdin.write('y\n'), 1);
  try {
    const stop = new AbortController();
    const decided = approve({ call, tool, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(decided).rejects.toThrow('enough');
    expect(shown()).toBe('');
  } finally {
    clearInterval(typing);
  }
});
