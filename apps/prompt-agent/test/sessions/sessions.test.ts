import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { main } from '../../src/main.ts';
import { promptHere, workspace } from '../program.ts';
import { HOSTILE } from './sample-session.ts';

const STATE = '.local/state/prompt-agent';

interface Listed {
  readonly id: string;
  readonly name?: string;
  readonly title: string;
  readonly state: string;
}

async function list(cwd: string): Promise<readonly Listed[]> {
  const { code, stdout } = await promptHere(['sessions', 'list', '--json', '--limit', '0'], { cwd });
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { sessions: readonly Listed[] }).sessions;
}

async function startModel(
  ...texts: readonly string[]
): Promise<{ flags: readonly string[]; asked: () => readonly string[] }> {
  const server = await startWireServer({ replies: texts.map((text) => ({ text })) });
  onTestFinished(() => server.close());
  return {
    flags: ['--base-url', server.baseUrl, '--model', 'm'],
    asked: () => server.requests.map(({ body }) => JSON.stringify((body as { messages: unknown }).messages)),
  };
}

test('each run is a session, in one file that only the user can read; --no-session and PROMPT_AGENT_SESSIONS=off keep nothing', async () => {
  verifies('cli.sessions.kept', 'cli.sessions.off');
  const cwd = workspace({ 'a.txt': 'x' });
  expect(await promptHere(['--no-session', '2+2'], { cwd })).toMatchObject({ code: 0, stdout: '4\n' });
  expect(await promptHere(['2+2'], { cwd, env: { PROMPT_AGENT_SESSIONS: 'off' } })).toMatchObject({
    code: 0,
    stdout: '4\n',
  });
  expect(existsSync(join(cwd, STATE, 'sessions.db'))).toBe(false);
  expect(await promptHere(['2+3'], { cwd })).toMatchObject({ code: 0, stdout: '5\n' });
  expect(statSync(join(cwd, STATE, 'sessions.db')).mode & 0o777).toBe(0o600);
  expect(statSync(join(cwd, STATE)).mode & 0o777).toBe(0o700);
  expect((await list(cwd)).map(({ title, state }) => [title, state])).toEqual([['2+3', 'done']]);
  // What a process leaves beside the file is gone with it.
  expect(readdirSync(join(cwd, STATE)).toSorted()).toEqual(['session-writers', 'sessions.db']);
  expect(readdirSync(join(cwd, STATE, 'session-writers'))).toEqual([]);
});

test('"sessions": false in the own config keeps nothing, also where a project has a config; config show says so', async () => {
  verifies('cli.sessions.off');
  const own = '.config/prompt-agent/config.json';
  const cwd = workspace({
    [own]: '{ "sessions": false }',
    'p/config.json': '{"system_prompt":"x"}',
    'team.json': '{}',
  });
  const db = join(cwd, STATE, 'sessions.db');
  const said = await promptHere(['2+2'], { cwd });
  expect(said).toMatchObject({ code: 0, stdout: '4\n' });
  expect(said.stderr).not.toContain('sessions');
  await promptHere(['2+2'], { cwd: join(cwd, 'p'), env: { HOME: cwd } });
  await promptHere(['--config', 'team.json', '2+2'], { cwd });
  expect(existsSync(db)).toBe(false);
  expect((await promptHere(['config', 'show'], { cwd })).stdout).toMatch(/^sessions +not kept +.*config\.json$/m);
  const off = await promptHere(['config', 'show', '--json'], { cwd, env: { PROMPT_AGENT_SESSIONS: 'off' } });
  expect(JSON.parse(off.stdout)).toContainEqual({ name: 'sessions', value: 'not kept', from: 'PROMPT_AGENT_SESSIONS' });
  // Whoever names a session wants it.
  await promptHere(['--session', 'trip', '2+2'], { cwd });
  expect(existsSync(db)).toBe(true);
});

test.each([
  ['{ "sessions": "no" }', '"sessions" must be true or false, not text'],
  ['{ "sesions": false }', 'sesions'],
])('a mistake in the setting is named: %s', async (text, said) => {
  verifies('cli.sessions.off');
  const cwd = workspace({ '.config/prompt-agent/config.json': text });
  const { stdout, stderr } = await promptHere(['config', 'check'], { cwd });
  expect(stdout + stderr).toContain(said);
});

test('-c goes on with the last session of this folder, --session with a named one, and the model reads all that was said', async () => {
  verifies('cli.sessions.continue');
  const [cwd, elsewhere] = [workspace({ 'a.txt': 'x' }), workspace({ 'a.txt': 'x' })];
  const env = { XDG_STATE_HOME: join(cwd, 'state') };
  const { flags, asked } = await startModel('Ada it is.', 'You are Ada.', 'A trip.', 'To Rome.', 'No idea.');
  await promptHere([...flags, 'my name is Ada'], { cwd, env });
  expect(await promptHere([...flags, '-c', 'who am I?'], { cwd, env })).toMatchObject({
    code: 0,
    stdout: 'You are Ada.\n',
  });
  expect(asked()[1]).toContain('my name is Ada');
  expect(asked()[1]).toContain('Ada it is.');
  const begun = await promptHere([...flags, '--session', 'trip', 'plan a trip'], { cwd, env });
  expect(begun.stderr).toContain('session: "trip" is new.');
  const other = await promptHere([...flags, '--session', 'trip', 'where to?'], { cwd: elsewhere, env });
  expect(other).toMatchObject({ code: 0, stdout: 'To Rome.\n' });
  expect(other.stderr).toMatch(/session: "trip" goes on, last used \d+ s ago/);
  expect(asked()[3]).toContain('plan a trip');
  const none = await promptHere([...flags, '-c', 'and now?'], { cwd: elsewhere, env });
  expect(none).toMatchObject({ code: 2, stdout: '' });
  expect(none.stderr).toContain('There is no session in this folder to continue');
  const near = await promptHere([...flags, '--session', 'tripp', 'hello'], { cwd, env });
  expect(near.stderr).toContain('"tripp" is new. There is also trip.');
});

test('-c without a prompt shows the last answer again if nothing is pending, and asks for one if there is nothing at all', async () => {
  verifies('cli.sessions.continue');
  const cwd = workspace({ 'a.txt': 'x' });
  await promptHere(['2+3'], { cwd });
  const again = await promptHere(['-c'], { cwd });
  expect(again).toMatchObject({ code: 0, stdout: '5\n' });
  expect(again.stderr).toContain('nothing was pending');
  expect((await promptHere(['-c', '--stream'], { cwd })).stdout).toBe('5\n');
  expect(JSON.parse((await promptHere(['-c', '--json'], { cwd })).stdout)).toMatchObject({
    reason: 'done',
    answer: '5',
  });
  const empty = await promptHere(['--session', 'new'], { cwd });
  expect(empty).toMatchObject({ code: 2, stdout: '' });
  expect(empty.stderr).toContain('A prompt is missing');
  expect(await list(cwd)).toHaveLength(1);
});

test.each([
  [['-c', '--session', 'x', 'hi'], '--continue and --session exclude each other'],
  [['--session', 'x', '--no-session', 'hi'], '--session and --no-session exclude each other'],
  [['--session', '../x', 'hi'], '--session "../x" must be a name'],
  [['--session', '', 'hi'], '--session "" must be a name'],
  [['sessions', 'show', 'nothing'], 'There is no session "nothing"'],
  [['sessions', 'show', '\u001b[2J'], 'There is no session "\\x1b[2J"'],
  [['sessions', 'show'], 'There is no session of this folder'],
  [['sessions', 'show', 'a', 'b'], 'takes [SESSION]'],
  [['sessions', 'list', '--limit', 'x'], '--limit "x" must be a whole number'],
  [['sessions', 'rm'], 'needs sessions'],
  [['sessions', 'rm', 'x', '--older-than', '3d'], 'not both'],
  [['sessions', 'rm', '--older-than', '3 days'], 'such as 30d'],
  [['sessions', 'search'], 'needs the words'],
  [['sessions', 'export'], 'needs a session'],
  [['sessions', 'show', '-o', 'x'], 'There is no session'],
])('%j exits 2 and says what is wrong', async (args, said) => {
  verifies('cli.sessions.usage');
  const { code, stdout, stderr } = await promptHere(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('a session is named by its name, its id or any unique beginning of it, and a near name is suggested', async () => {
  verifies('cli.sessions.usage');
  const cwd = workspace({ 'a.txt': 'x' });
  await promptHere(['--session', 'fix parser', '2+2'], { cwd });
  const [session] = await list(cwd);
  const { id = '' } = session ?? {};
  expect(id).toMatch(/^[\da-f]{32}$/);
  for (const name of ['fix parser', id, id.slice(0, 8), id.slice(0, 4).toUpperCase()]) {
    const { code, stdout } = await promptHere(['sessions', 'show', name], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(`session ${id.slice(0, 8)} "fix parser"`);
    expect(stdout).toMatch(/> 2\+2\n\n\* calculate .*\n {2}\| 4\n\n4\n/);
  }
  expect((await promptHere(['sessions', 'show', 'fix parsr'], { cwd })).stderr).toContain('Did you mean fix parser?');
  const unknown = `${id.slice(0, 7)}${id[7] === '0' ? '1' : '0'}`;
  expect((await promptHere(['sessions', 'show', unknown], { cwd })).stderr).toContain('Did you mean');
});

test('what was asked, answered and called is found by its words, whatever the query is', async () => {
  verifies('cli.sessions.search');
  const cwd = workspace({ 'notes.md': 'the zebra crosses\n' });
  const { flags } = await startModel('Lisbon is the capital of Portugal.');
  await promptHere([...flags, 'Which Straße leads to Évora?'], { cwd });
  await promptHere(['read notes.md'], { cwd });
  await promptHere(['2+2'], { cwd });
  const found = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { code, stdout } = await promptHere(['sessions', 'search', '--json', '--', ...words], { cwd });
    expect([words, code]).toEqual([words, 0]);
    return (JSON.parse(stdout) as { sessions: readonly Listed[] }).sessions.map(({ title }) => title);
  };
  expect(await found('portugal')).toEqual(['Which Straße leads to Évora?']);
  expect(await found('evora')).toHaveLength(1);
  expect(await found('capit')).toHaveLength(1);
  expect(await found('"capital of"')).toHaveLength(1);
  expect(await found('"of capital"')).toEqual([]);
  expect(await found('lisbon', 'paris')).toEqual([]);
  expect(await found('read_file')).toEqual(['read notes.md']);
  for (const query of [
    '"',
    '""',
    '*',
    'a"b',
    'NEAR(',
    'asked:',
    '-x',
    '^',
    '(',
    'AND',
    'a OR',
    '{',
    "'",
    ';',
    '\\',
    '%',
    'NOT NOT',
    '"a" "',
    '💥',
    'words MATCH',
    '+',
    'x'.repeat(100_000),
    'x '.repeat(10_000),
  ])
    await found(query);
  const { stdout } = await promptHere(['sessions', 'search', 'capital'], { cwd });
  expect(stdout).toContain('Lisbon is the capital of Portugal.');
});

test('what a model or a tool wrote is escaped in every list and transcript, and secrets are in none, nor in the file', async () => {
  verifies('cli.sessions.safe');
  const token = 'sk-test-0123456789abcdefghij';
  const cwd = workspace({ 'a.txt': 'x' });
  const { flags } = await startModel(`${HOSTILE} ${token}`);
  await promptHere([...flags, '--token', token, `${HOSTILE} and ${token}`], { cwd });
  const [session] = await list(cwd);
  for (const args of [
    ['list'],
    ['show'],
    ['search', 'stolen'],
    ['export', session?.id ?? ''],
    ['show', '--json'],
    ['show', '--html'],
  ]) {
    const { code, stdout } = await promptHere(['sessions', ...args], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('stolen');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
    expect(stdout).not.toContain(token);
  }
  for (const name of readdirSync(join(cwd, STATE)).filter((each) => each.startsWith('sessions.db')))
    expect(readFileSync(join(cwd, STATE, name)).includes(token)).toBe(false);
});

test('export has the whole session as lines of JSON, in the documented form', async () => {
  verifies('cli.sessions.export');
  const cwd = workspace({ 'a.txt': 'x' });
  await promptHere(['--session', 'sum', '2+2'], { cwd });
  const { code } = await promptHere(['sessions', 'export', 'sum', '-o', 'sum.jsonl'], { cwd });
  expect(code).toBe(0);
  const lines = readFileSync(join(cwd, 'sum.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({
    type: 'session',
    version: 1,
    name: 'sum',
    provider: 'offline',
    turns: 2,
    calls: 1,
    state: 'done',
  });
  expect(lines.slice(1).map(({ type }) => type)).toEqual([...Array(5).fill('entry'), ...Array(8).fill('event')]);
  expect(lines[1]).toMatchObject({ entry: { type: 'message', message: { role: 'user', content: '2+2' } } });
  expect(lines.at(-1)).toMatchObject({ path: [], event: { type: 'run-end', reason: 'done' } });
  expect(statSync(join(cwd, 'sum.jsonl')).mode & 0o777).toBe(0o600);
});

test('rm removes for good: nothing of the session is left in the file', async () => {
  verifies('cli.sessions.rm');
  const cwd = workspace({ 'a.txt': 'x' });
  const { flags } = await startModel('The xylophone answer.', 'Another answer.');
  await promptHere([...flags, 'a question about xylophones'], { cwd });
  await promptHere([...flags, '--session', 'stays', 'another question'], { cwd });
  const first = (await list(cwd)).find(({ name }) => name === undefined);
  const asked = await promptHere(['sessions', 'rm', first?.id ?? ''], { cwd });
  expect(asked.code).toBe(2);
  expect(asked.stderr).toContain('With --force 1 session would be removed');
  const { code, stderr } = await promptHere(['sessions', 'rm', first?.id ?? '', '--force'], { cwd });
  expect(code).toBe(0);
  expect(stderr).toContain('removed: 1 session');
  expect((await list(cwd)).map(({ name }) => name)).toEqual(['stays']);
  for (const name of readdirSync(join(cwd, STATE)).filter((each) => each.startsWith('sessions.db')))
    expect(readFileSync(join(cwd, STATE, name)).includes('xylophone')).toBe(false);
  expect((await promptHere(['sessions', 'rm', '--older-than', '1d', '--force'], { cwd })).stderr).toContain(
    'Nothing was removed',
  );
  expect((await promptHere(['sessions', 'rm', '--older-than', '0m', '--force'], { cwd })).stderr).toContain(
    'removed: 1',
  );
});

test('a list fits the terminal, and is whole in a pipe', async () => {
  verifies('cli.sessions.list');
  const cwd = workspace({ 'a.txt': 'x' });
  const long = `what is 2 + 2 ${'and 日本語 more '.repeat(20)}`;
  const { flags } = await startModel('4', '5');
  await promptHere([...flags, long], { cwd });
  await promptHere([...flags, '--session', 'short', 'hello'], { cwd });
  const piped = await promptHere(['sessions', 'list'], { cwd });
  expect(piped.stdout.split('\n')[0]).toMatch(/^ID +USED +STATE +NAME +MODEL +FOLDER +PROMPT$/);
  expect(piped.stdout.split('\n')[1]).toMatch(/^[\da-f]{8} +\d+ s +answered +short +m +~ +hello$/);
  for (const columns of [80, 60]) {
    const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
    let text = '';
    stdout.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    await main({
      argv: ['sessions', 'list'],
      env: { PROMPT_AGENT_SERVERS: '' },
      cwd,
      home: cwd,
      stdin: new PassThrough(),
      stdout,
      stderr: new PassThrough(),
      signal: new AbortController().signal,
    });
    const width = (line: string) =>
      Array.from(line).reduce((sum, character) => sum + (character > '\u2fff' ? 2 : 1), 0);
    for (const line of text.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
    expect(text).toContain('…');
  }
});

test('a damaged file is set aside and named, never deleted; a newer one and that of another program are left alone', async () => {
  verifies('cli.sessions.damaged');
  const cwd = workspace({ 'a.txt': 'x' });
  const file = join(cwd, STATE, 'sessions.db');
  await promptHere(['2+2'], { cwd });
  const whole = readFileSync(file);
  const damaged = Buffer.from(whole);
  damaged.fill(0x5a, 0, 4096);
  writeFileSync(file, damaged);
  const { code, stdout, stderr } = await promptHere(['2+3'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '5\n' });
  const aside = readdirSync(join(cwd, STATE)).find((name) => /^sessions\.damaged-.*\.db$/.test(name)) ?? '';
  expect(stderr).toContain(aside);
  expect(readFileSync(join(cwd, STATE, aside)).equals(damaged)).toBe(true);
  expect((await list(cwd)).map(({ title }) => title)).toEqual(['2+3']);

  const newer = Buffer.from(whole);
  newer.writeUInt32BE(7, 60); // user_version
  writeFileSync(file, newer);
  const refused = await promptHere(['sessions', 'list'], { cwd });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('is of version 7; this program reads up to version 1');
  const answered = await promptHere(['2+3'], { cwd });
  expect(answered).toMatchObject({ code: 0, stdout: '5\n' });
  expect(answered.stderr).toContain('This run is not kept.');
  expect(readFileSync(file).equals(newer)).toBe(true);

  const foreign = Buffer.from(whole);
  foreign.writeUInt32BE(1, 68); // application_id
  writeFileSync(file, foreign);
  expect((await promptHere(['sessions', 'list'], { cwd })).stderr).toContain('is a file of another program');
  expect(readFileSync(file).equals(foreign)).toBe(true);
});

test('pages that are damaged within are set aside when they are read', async () => {
  verifies('cli.sessions.damaged');
  const cwd = workspace({ 'a.txt': 'x' });
  const file = join(cwd, STATE, 'sessions.db');
  await promptHere(['2+2'], { cwd });
  copyFileSync(file, join(cwd, 'whole.db'));
  const damaged = readFileSync(file);
  damaged.fill(0x5a, 4096);
  writeFileSync(file, damaged);
  const { code, stdout } = await promptHere(['2+3'], { cwd });
  expect({ code, stdout }).toEqual({ code: 0, stdout: '5\n' });
  expect(readdirSync(join(cwd, STATE)).filter((name) => name.includes('damaged'))).not.toEqual([]);
  expect(await promptHere(['2+4'], { cwd })).toMatchObject({ code: 0, stdout: '6\n' });
  expect((await list(cwd)).at(0)?.title).toBe('2+4');
});
