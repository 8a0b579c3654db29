import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { visible } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { describe, expect, test, vi } from 'vitest';
import { createRandom } from '../../../test/setup/odd-values.ts';
import { createAskUser } from '../src/approval/ask-user.ts';
import { loadConfig } from '../src/config/load-config.ts';
import type { Host } from '../src/host.ts';
import { describeEntry } from '../src/mcp-servers/server-entry.ts';
import { usableServers } from '../src/mcp-servers/usable-servers.ts';
import { createOutput } from '../src/output/output.ts';
import { answerServers } from '../src/questions/answer-servers.ts';
import { shellQuote } from '../src/questions/shell-quote.ts';
import { workspace } from './program.ts';

const PIECES = [
  ...Array.from('az 0;|&$(){}"\'`\\<>#~*\t\n\r'),
  '\r\n',
  '\n\n',
  '\u001B[2J',
  '\u001B[1A\u001B[2K',
  '\u0007',
  '\u0000',
  '\u202Egpj',
  '\u2066',
  '\u200B',
  '\u{E0041}',
  '\u00A0',
  '漢字',
  '😀',
  'e\u0301',
  '\uD800',
  'token: docs; id',
  'Authorization: Bearer abcdef',
  'sk-abcdefghijklmnop0123456789',
  '-----BEGIN PRIVATE KEY-----aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -----END PRIVATE KEY-----',
  '--api-key=0123456789',
  'the-key-of-the-person',
  '(page 1 of 2: Enter shows the next page',
  'Run it? [y/N]',
  '(set)',
  '…',
];

type Random = () => number;

/** A hostile text: a few characters, a line of ten thousand, or hundreds of lines. */
function hostile(random: Random): string {
  const count = [3, 40, 400, 1500][Math.floor(random() * 4)] ?? 3;
  const only = random() < 0.3 ? PIECES.filter((piece) => !piece.includes('\n')) : PIECES;
  return Array.from({ length: count }, () => only[Math.floor(random() * only.length)] ?? '').join('');
}

/** A terminal whose person pages on, and says yes too early now and then. It keeps what was on each screen. */
function pagingTerminal(random: Random, cwd: string) {
  const rows = 4 + Math.floor(random() * 40);
  const columns = 20 + Math.floor(random() * 120);
  const screens: string[] = [];
  let answered = 0;
  let screen = '';
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  const stderr = stream();
  stderr.write = (text: string | Uint8Array) => {
    screen += String(text);
    return true;
  };
  const host: Host = {
    argv: [],
    env: {},
    cwd,
    home: cwd,
    stdin: Object.assign(new PassThrough(), { isTTY: true }),
    stdout: stream(),
    stderr,
    signal: new AbortController().signal,
    question(show) {
      screen = '';
      show();
      screens.push(screen);
      const isLast =
        !screen.includes(' is not taken as an answer') && !/^\(page \d+ of/m.test(promptOf(screen, columns));
      if (!isLast) return Promise.resolve(random() < 0.1 ? 'y' : '');
      answered += 1;
      return Promise.resolve('y');
    },
  };
  const output = createOutput(host);
  // What the program hides elsewhere.
  output.hide('the-key-of-the-person');
  return { host, output, rows, columns, screens, answered: () => answered };
}

/** The prompt at the end of a screen, as one line. */
function promptOf(screen: string, columns: number): string {
  const lines = screen.trimEnd().split('\n');
  const start = lines.findLastIndex((line) => !line.startsWith('│ '));
  return columns === 0 ? '' : unwrapped(lines.slice(start).join('\n'));
}

function unwrapped(text: string): string {
  return text.replaceAll('\n│ ', '');
}

/** All that was on the screens, in order: without prompts of pages, and with the lines that were broken in one piece. */
function seen(screens: readonly string[], columns: number): string {
  const pages = screens.filter((screen) => !screen.startsWith('This is not taken'));
  const texts = pages.map((screen, index) => {
    if (index === pages.length - 1) return screen;
    const lines = screen.trimEnd().split('\n');
    const start = lines.findLastIndex((line) => /^\(page \d/.test(line) && promptOf(screen, columns) !== '');
    return `${lines.slice(0, start).join('\n')}\n`;
  });
  return unwrapped(texts.join(''));
}

/** How many rows a screen takes on a terminal that breaks lines itself. */
function rowsOf(screen: string, columns: number): number {
  const widthOf = (line: string): number => {
    let width = 0;
    for (const character of line)
      width = character === '\t' ? (Math.floor(width / 8) + 1) * 8 : width + (character < '\u007F' ? 1 : 2);
    return width;
  };
  return screen
    .trimEnd()
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}

/** The lines in which a text is shown: as it is, or in quotes where it could be taken for another value. */
function linesOf(text: string): readonly string[] {
  const isQuoted = !text.includes('\n') && (text !== text.trim() || /^(?:-?\d|[[{"])/.test(text));
  return visible((isQuoted ? JSON.stringify(text) : text).replaceAll('\r\n', String.raw`\x0d` + '\n')).split('\n');
}

function expectWhole(
  terminal: ReturnType<typeof pagingTerminal>,
  texts: readonly string[],
  shown: (text: string) => readonly string[],
): void {
  const { screens, rows, columns } = terminal;
  const all = seen(screens, columns);
  for (const text of texts) for (const line of shown(text)) expect(all).toContain(line);
  // oxlint-disable-next-line no-control-regex -- none may reach the terminal
  expect(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069\u200B]/.test(screens.join(''))).toBe(
    false,
  );
  expect(terminal.answered()).toBe(1);
  const prompt = Math.ceil(140 / (columns - 3));
  for (const screen of screens) expect(rowsOf(screen, columns)).toBeLessThanOrEqual(Math.max(rows, prompt + 3));
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed + 1);

describe('before an answer is taken, each character of what it is about was on the screen', () => {
  test.each(SEEDS)('of a call, with seed %i', async (seed) => {
    verifies('cli.questions.whole');
    const random = createRandom(seed);
    const terminal = pagingTerminal(random, '/');
    const texts = [hostile(random), hostile(random)];
    const words = ['sh', '-c', hostile(random), hostile(random)];
    const ask = createAskUser(terminal.host, terminal.output, {
      remember: () => undefined,
      userRules: { path: '', add: () => Promise.resolve() },
    });
    const tool = { name: 'run_command', description: '', parameters: { type: 'object' } } as const;
    const call = {
      type: 'tool-call',
      id: '1',
      name: 'run_command',
      arguments: JSON.stringify({ command: words, input: texts[0], note: texts[1] }),
    } as const;
    const request = { call, tool, signal: terminal.host.signal };
    expect(await ask(request, { verdict: 'ask', reason: '' })).toEqual({ decision: 'allow' });
    expectWhole(terminal, texts, linesOf);
    expectWhole(terminal, words, () => [`$ ${shellQuote(words)}`]);
  });

  test.each(SEEDS)("of a project's servers, with seed %i", async (seed) => {
    verifies('cli.questions.whole', 'cli.mcp.project');
    const random = createRandom(seed);
    const [script, value, variable, header, path] = Array.from({ length: 5 }, () => hostile(random)) as [
      string,
      string,
      string,
      string,
      string,
    ];
    const mcpServers = {
      docs: {
        command: 'sh',
        args: ['-c', script, '--token', value],
        env: { NODE_OPTIONS: variable, API_TOKEN: `${variable} ;` },
        cwd: path,
      },
      web: { url: `https://a.example/?key=${value}`, headers: { 'X-Api-Key': `${header};`, Accept: header } },
    };
    const cwd = workspace({ '.mcp.json': JSON.stringify({ mcpServers }) });
    const terminal = pagingTerminal(random, cwd);
    expect(await usableServers(terminal)).toHaveLength(2);
    expectWhole(terminal, [value], () => [`starts: ${shellQuote(['sh', '-c', script, '--token', value])}`]);
    expectWhole(terminal, [variable, `${variable} ;`, header, `${header};`], (text) => [`= ${shellQuote([text])}`]);
    expectWhole(terminal, [path], (text) => [`folder: ${shellQuote([text])}`]);
  });

  test.each(SEEDS)("of a project's config, with seed %i", async (seed) => {
    verifies('cli.questions.whole', 'cli.trust.project');
    const random = createRandom(seed);
    const texts = Array.from({ length: 3 }, () => hostile(random).toWellFormed().replaceAll('$', ''));
    const [system = '', inner = '', body = ''] = texts;
    const provider = { name: 'openai', base_url: 'http://127.0.0.1:9/v1' };
    const config = {
      provider: { ...provider, options: { body: { user: body } } },
      system_prompt: system,
      agents: { other: { provider, system_prompt: inner } },
    };
    const cwd = workspace({ 'config.json': JSON.stringify(config) });
    const terminal = pagingTerminal(random, cwd);
    const { host, output } = terminal;
    const loaded = await loadConfig({ flags: {}, host, output } as Parameters<typeof loadConfig>[0]);
    expect(loaded.origin).toBe('project');
    expectWhole(terminal, [system], (text) => visible(text).split('\n'));
    expectWhole(terminal, [inner, body], (text) => [visible(JSON.stringify(text))]);
  });
});

describe("the answer about a project's servers", () => {
  const servers = (...entries: readonly object[]): string =>
    JSON.stringify({ mcpServers: Object.fromEntries(entries.map((entry, index) => [`s${index}`, entry])) });
  /** How often a person is asked, and what was shown. */
  const asked = async (cwd: string): Promise<{ readonly times: number; readonly shown: string }> => {
    const terminal = pagingTerminal(createRandom(1), cwd);
    expect(await usableServers(terminal)).not.toEqual([]);
    return { times: terminal.answered(), shown: seen(terminal.screens, terminal.columns) };
  };

  test.each([
    ['an argument', 'a.mjs', { command: 'node', args: ['a.mjs'] }],
    ['a command', 'bin/a', { command: './bin/a' }],
    ['a flag', 'a.mjs', { command: 'node', args: ['--import=./a.mjs', '-e', '0'] }],
    ['a script', 'a.sh', { command: 'sh', args: ['-c', 'cd .; exec "./a.sh">x'] }],
    ['a variable', 'a.mjs', { command: 'node', env: { NODE_OPTIONS: '--require ./a.mjs' } }],
    ['another folder', 'sub/a.mjs', { command: 'node', args: ['a.mjs'], cwd: 'sub' }],
    ['a variable of the environment', 'a.mjs', { command: 'node', args: ['${NONE:-./a.mjs}'] }],
    ['a file behind a mark of the byte order', 'a.mjs', { command: 'node', args: ['a.mjs'] }],
  ])('holds until the file changes that the entry names in %s', async (kind, file, entry) => {
    verifies('cli.mcp.project');
    const text = servers(entry);
    const mark = kind.includes('mark') ? '\uFEFF' : '';
    const cwd = workspace({ '.mcp.json': mark + text, [file]: 'one', 'other.mjs': 'one' });
    const first = await asked(cwd);
    expect(first.times).toBe(1);
    expect(first.shown).toContain(`The answer holds until one of these files changes: ${file}`);
    expect(first.shown).toContain('What else the servers run or load is not checked');
    writeFileSync(join(cwd, 'other.mjs'), 'two');
    expect((await asked(cwd)).times).toBe(0);
    writeFileSync(join(cwd, file), 'two');
    expect((await asked(cwd)).times).toBe(1);
    expect((await asked(cwd)).times).toBe(0);
  });

  test('hides of a variable only what is a secret by its name and has the form of one', async () => {
    verifies('cli.questions.whole', 'cli.mcp.project');
    const env = {
      API_TOKEN: 'abcdef-123456',
      OTHER_KEY: 'id > x',
      CREDENTIAL_PROVIDER: 'reboot-now',
      SHELL_AUTH: 'reboot-now',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
    };
    const entry = { command: 'sh', args: ['-c', 'eval "$SHELL_AUTH"', '--token=abcdef-123456'], env };
    const { shown } = await asked(
      workspace({ '.mcp.json': servers(entry, { url: 'https://a.example/?token=abcdef1&to=b' }) }),
    );
    expect(shown).toContain('starts: sh -c \'eval "$SHELL_AUTH"\' --token=abcdef-123456');
    expect(shown).toContain('variable: API_TOKEN = abcdef-123456');
    expect(shown).toContain("variable: OTHER_KEY = 'id > x'");
    for (const name of ['CREDENTIAL_PROVIDER', 'SHELL_AUTH']) expect(shown).toContain(`variable: ${name} = reboot-now`);
    expect(shown).toContain('variable: GIT_CONFIG_KEY_0 = core.fsmonitor');
    expect(shown).toContain('calls: https://a.example/?token=(set)&to=b');
  });
});

test.each([
  { command: 'sh', args: ['-c', `eval "$(printenv API_TO''KEN)"`] },
  { command: 'sh', args: ['-c', '$(env | grep ^A | cut -d= -f2-)'] },
  { command: 'bash', args: ['-c', '${!A*}'] },
  { command: 'node', args: ['-e', 'require(Object.values(process.env)[0])'] },
  { command: 'xargs', args: ['-0', '-a', '/proc/self/environ', '-d=', '-I%', 'sh', '-c', '%'] },
])('a variable is shown whole in a question where the command could run it: %j', (entry) => {
  verifies('cli.questions.whole', 'cli.mcp.project');
  const env = { API_TOKEN: 'touch x-1234' };
  expect(describeEntry({ ...entry, env }, true)).toContain("variable: API_TOKEN = 'touch x-1234'");
});

test('a secret that is a variable of a command without a script is hidden in a question', () => {
  verifies('cli.questions.whole', 'cli.mcp.secrets');
  const entry = { command: 'docker', args: ['run', '-e', 'API_TOKEN', 'a/b'], env: { API_TOKEN: 'abcdef-123456' } };
  expect(describeEntry(entry, true)).toContain('variable: API_TOKEN (set)');
});

test('of two questions at once one is asked after the other, each answer belongs to one, and no text stands below them', async () => {
  verifies('cli.questions.enter', 'cli.elicitation', 'cli.approval.answers');
  const open: { readonly shown: string; answer(line: string): void }[] = [];
  let all = '';
  let screen = '';
  const terminal = pagingTerminal(createRandom(1), workspace({}));
  terminal.host.stderr.write = (text: string | Uint8Array) => {
    screen += String(text);
    all += String(text);
    return true;
  };
  const host: Host = {
    ...terminal.host,
    question(show) {
      screen = '';
      show();
      return new Promise((answer) => open.push({ shown: screen, answer }));
    },
  };
  const { signal } = terminal.host;
  const ask = createAskUser(host, terminal.output, {
    remember: () => undefined,
    userRules: { path: '', add: () => Promise.resolve() },
  });
  const call = { type: 'tool-call', id: '1', name: 'run_command', arguments: '{"command":["rm","a"]}' } as const;
  const tool = { name: 'run_command', description: '', parameters: { type: 'object' } } as const;
  const decision = ask({ call, tool, signal }, { verdict: 'ask', reason: '' });
  await vi.waitFor(() => expect(open).toHaveLength(1), 60_000);
  const schema = { type: 'object', properties: {} } as const;
  const form = answerServers(host, terminal.output).elicit?.({ server: 'd', message: 'Dark?', schema, signal });
  await new Promise(setImmediate);
  expect(open).toHaveLength(1);
  terminal.output.note('warning: MCP server "d" has ended: Restart it? [y/N]');
  terminal.output.write('Run it? [y/N]');
  expect(open[0]?.shown).toContain('$ rm a');
  expect(screen).toBe(open[0]?.shown);
  open[0]?.answer('n');
  expect(await decision).toMatchObject({ decision: 'deny' });
  await vi.waitFor(() => expect(open).toHaveLength(2), 60_000);
  expect(open[1]?.shown).toContain('Dark?');
  open[1]?.answer('y');
  expect(await form).toEqual({ action: 'accept', content: {} });
  expect(all.indexOf('Restart it?')).toBeGreaterThan(all.indexOf('$ rm a'));
});

test.each([
  ['sh', '-c', 'token: docs; id > x'],
  ['sh', '-c', 'Authorization: Bearer abc; id'],
  ['bash', '-c', '--', 'auth: ; id > x'],
  ['sh', '-c', 'pat=$(id > x)'],
])('a list of servers says what %s %s %s runs', (command, ...args) => {
  verifies('cli.mcp.secrets');
  expect(describeEntry({ command, args })).toEqual([`starts: ${shellQuote([command, ...args])}`]);
});
