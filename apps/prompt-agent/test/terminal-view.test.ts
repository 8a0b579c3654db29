import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { cutLine, lineWidth, textWidth } from '../src/output/terminal/text-width.ts';
import { createLiveStatus } from '../src/output/terminal/live-status.ts';
import { seconds } from '../src/output/quantities.ts';
import { promptHere, workspace } from './program.ts';
import { controlsOf, plain } from './terminals.ts';
import { ANSWER, at, READ, MISSING } from './terminal-view.support.ts';

/** What the program itself sends: a line is erased, and the one above it. */
const ITS_OWN = new Set(['\r', '\u001B[1A', '\u001B[K']);

test('on a terminal the answer is laid out, each call becomes a line with its result, and the totals come last', async () => {
  verifies('cli.look');
  const { code, raw, text, answer, server } = await at([
    { reasoning: 'First the notes.\nThen the rest.', text: 'I look.', calls: [READ, MISSING] },
    { text: ANSWER, usage: { inputTokens: 1200, outputTokens: 34 } },
  ]);
  expect(code).toBe(0);
  expect(answer).toBe('I look.\nResult\n\nDone: 42.\n\n  const a = 1;\n\n• one\n• two\n');
  expect(raw).toContain('\u001B[2mFirst the notes.\u001B[0m');
  expect(text).toMatch(/✓ read_file \{"path":"notes.md"\} \d+ ms/);
  expect(text).toMatch(/✗ read_file \{"path":"none.md"\} \d+ ms\n {2}failed: There is no "none.md"/);
  expect(text).toMatch(/tokens: 1200 in \+ 34 out = 1234 in \d turns?, \d.\d s\n$/);
  expect(raw).toMatch(/waiting for m-1/);
  expect(controlsOf(raw).every((each) => ITS_OWN.has(each))).toBe(true);
  // It streams without being asked to.
  expect(server.requests[0]?.body).toMatchObject({ stream: true });
});

test('text of a model, names of tools, arguments and results reach the terminal escaped', async () => {
  verifies('cli.look.safe');
  const evil = '\u001B[2J\u001B]0;x\u0007\u009B1m\u202E';
  const { raw } = await at([
    {
      reasoning: evil,
      text: `${evil} \`\`\`${evil}`,
      calls: [
        { name: 'read_file', arguments: { path: evil } },
        { name: `evil${evil}`, arguments: { [evil]: evil } },
      ],
    },
    { text: evil },
  ]);
  expect(controlsOf(raw).every((each) => ITS_OWN.has(each))).toBe(true);
  expect(raw).not.toContain('\u202E');
});

test.each([
  ['NO_COLOR', { NO_COLOR: '1' }, false, true],
  ['TERM=dumb', { TERM: 'dumb' }, false, false],
  ['FORCE_COLOR over NO_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, true],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, false, true],
])('%s decides on colours and cursor', async (_, env, hasColors, isLive) => {
  verifies('cli.look.plain');
  const { raw, answer } = await at([{ calls: [READ] }, { text: ANSWER }], { env });
  // oxlint-disable-next-line no-control-regex
  expect(/\u001B\[[0-9;]*m/.test(raw)).toBe(hasColors);
  expect(raw.includes('\u001B[K')).toBe(isLive);
  expect(answer).toBe(isLive ? answer : ANSWER);
  expect(raw.includes('\u001B')).toBe(hasColors || isLive);
  expect(answer).toContain(hasColors ? 'Done: 42.' : '**Done**: `42`.');
});

test('at 20 columns no line of the program is longer', async () => {
  verifies('cli.look.plain');
  const long = { name: 'read_file', arguments: { path: 'a/very/long/path/that/does/not/exist.md' } };
  const { raw } = await at(
    [
      { reasoning: 'word '.repeat(20), calls: [long, READ] },
      { text: `${'word '.repeat(20)}\n\n| a | b |\n|-|-|\n| one two three four | five |` },
    ],
    { columns: 20, args: ['--quiet'] },
  );
  const lines = raw.split('\n').flatMap((line) => line.split('\r'));
  expect(lines.map(plain).filter((line) => textWidth(line) > 20)).toEqual([]);
});

test('in a pipe nothing is laid out, unless FORCE_COLOR asks for it', async () => {
  verifies('cli.look', 'cli.look.plain');
  const server = await startWireServer({ replies: [{ text: ANSWER }, { text: ANSWER }] });
  const args = ['--base-url', server.baseUrl, '--model', 'm-1', 'hi'];
  const piped = await promptHere(args);
  expect(piped.stdout).toBe(ANSWER);
  expect(server.requests[0]?.body).not.toMatchObject({ stream: true });
  const forced = await promptHere(args, { env: { FORCE_COLOR: '1' } });
  await server.close();
  expect(forced.stdout).toContain('\u001B[1;4mResult\u001B[0m\n');
  expect(forced.stdout).not.toContain('\u001B[K');
  expect(forced.stderr).not.toContain('\u001B');
});

test('the status has a line for each call that runs, with those of sub-agents, and otherwise what is waited for', () => {
  verifies('cli.look');
  let now = 0;
  const status = createLiveStatus('m-1', () => now);
  const text = (tail = '', width = 60) =>
    status.lines(tail, width).map((line) => {
      expect(lineWidth(line)).toBeLessThan(width);
      return line
        .map((each) => each.text)
        .join('')
        .slice(2);
    });
  const call = (id: string, name: string) => ({ type: 'tool-call', id, name, arguments: '{"a":1}' }) as const;
  now = 3200;
  expect(text()).toEqual(['waiting for m-1 3.2 s']);
  status.event({ type: 'reasoning-delta', text: 'x' });
  expect(text()).toEqual(['m-1 is thinking 0.0 s']);
  expect(text('the text so far')).toEqual(['the text so far']);
  status.event({ type: 'tool-start', call: call('1', 'run_command') });
  status.event({
    type: 'sub-agent-event',
    path: ['research', 'c1'],
    event: { type: 'tool-start', call: call('1', 'fetch_url') },
  });
  now = 15_200;
  expect(text()).toEqual(['run_command {"a":1} 12 s', 'research › fetch_url {"a":1} 12 s']);
  expect(text('', 20)).toHaveLength(2);
  status.event({ type: 'tool-end', call: call('1', 'run_command'), result: { forLLM: '' }, durationMs: 1 });
  expect(text()).toEqual(['research › fetch_url {"a":1} 12 s']);
  for (let index = 0; index < 20; index += 1) status.event({ type: 'tool-start', call: call(`x${index}`, 'x') });
  expect(text()).toHaveLength(7);
  expect(text().at(-1)).toBe('and 15 more');
});

test('times and widths are those that people and terminals count', () => {
  verifies('cli.look');
  expect([0, 1234, 9949, 9951, 59_400, 185_000].map(seconds)).toEqual([
    '0.0 s',
    '1.2 s',
    '9.9 s',
    '10 s',
    '59 s',
    '3 min 5 s',
  ]);
  expect(['abc', '漢字', 'e\u0301', '👩‍👩‍👧', '🇩🇪', '\u200B', '☃'].map(textWidth)).toEqual([3, 4, 1, 2, 2, 0, 1]);
  expect(cutLine([{ text: '漢字漢字' }], 5).map(({ text }) => text)).toEqual(['漢字', '…']);
});

test('the cost stands beside the tokens if the config has prices, and nowhere without', async () => {
  verifies('cli.cost');
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 400_000 };
  const config = { model: { prices: { input: 2, output: 10, cached_input: 0.5 } } };
  const run = async (args: readonly string[]) => {
    const server = await startWireServer({ replies: [{ text: 'Hi.', usage }] });
    const cwd = workspace({ 'mine.json': JSON.stringify(config) });
    const model = ['--base-url', server.baseUrl, '--model', 'm-1'];
    const { stderr } = await promptHere([...model, ...args, 'hi'], { cwd });
    await server.close();
    return stderr;
  };
  expect(await run(['--config', 'mine.json'])).toContain('in 1 turn, cost: 2.40\n');
  expect(await run([])).not.toContain('cost');
});
