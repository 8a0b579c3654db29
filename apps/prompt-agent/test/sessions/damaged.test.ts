import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { promptHere, workspace } from '../program.ts';

const STATE = '.local/state/prompt-agent';
const NULS = '\0'.repeat(300);

/** Changes the file of sessions as a fault of the disk would. */
function change(cwd: string, sql: string): void {
  const database = new DatabaseSync(join(cwd, STATE, 'sessions.db'));
  database.exec(sql);
  database.close();
}

test('a conversation of which some entries are damaged goes on without them, and what is missing is said, also with -q', async () => {
  verifies('cli.sessions.damaged.entries');
  const server = await startWireServer({ replies: () => ({ text: 'ok' }) });
  onTestFinished(() => server.close());
  const cwd = workspace({ 'a.txt': 'x' });
  const ask = (...args: readonly string[]) =>
    promptHere(['-q', '--base-url', server.baseUrl, '-m', 'm', ...args], { cwd });
  await ask('first');
  await ask('-c', 'second');
  change(
    cwd,
    `UPDATE entries SET entry = char(0) || 'x' WHERE number = 2; UPDATE events SET event = '{', path = '[' WHERE number = 2`,
  );
  const continued = await ask('-c', 'third');
  expect([continued.code, continued.stdout]).toEqual([0, 'ok\n']);
  expect(continued.stderr).toContain('1 of the 4 entries of this session cannot be read');
  const { messages } = (server.requests.at(-1)?.body ?? { messages: [] }) as {
    messages: readonly { role: string; content: unknown }[];
  };
  const asked = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  expect(JSON.stringify(asked)).toMatch(/first.*second.*third/);
  const shown = await promptHere(['sessions', 'show'], { cwd });
  expect([shown.code, shown.stderr]).toEqual([
    0,
    expect.stringMatching(/1 of \d+ events of this session cannot be read/),
  ]);
  const [id] = (
    JSON.parse((await promptHere(['sessions', 'list', '--json'], { cwd })).stdout) as { sessions: { id: string }[] }
  ).sessions;
  const exported = await promptHere(['sessions', 'export', id?.id ?? ''], { cwd });
  expect(exported.code).toBe(0);
  const lines = exported.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  expect(lines.filter((line) => 'unreadable' in line).map(({ type }) => type)).toEqual(['entry', 'event']);
});

test('an entry that is JSON and no entry counts as one that cannot be read', async () => {
  verifies('cli.sessions.damaged.entries');
  const cwd = workspace({ 'a.txt': 'x' });
  await promptHere(['--session', 's', '2+2'], { cwd });
  change(cwd, `UPDATE entries SET entry = replace(entry, '"role":"user"', '"role":"usXr"')`);
  const continued = await promptHere(['-q', '--session', 's', '2+3'], { cwd });
  expect([continued.code, continued.stdout]).toEqual([0, '5\n']);
  expect(continued.stderr).toMatch(/1 of the \d+ entries of this session cannot be read/);
  const exported = await promptHere(['sessions', 'export', 's'], { cwd });
  expect(exported.stdout).toMatch(/"unreadable":"[^\n]*usXr/);
});

test('what can be read of a file of sessions that was set aside comes back with sessions repair, and the rest is told of', async () => {
  verifies('cli.sessions.repair');
  const cwd = workspace({ 'a.txt': 'x' });
  for (const prompt of ['2+2', '2+3', '2+4']) await promptHere([prompt], { cwd });
  const path = join(cwd, STATE, 'sessions.db');
  const whole = readFileSync(path);
  const database = new DatabaseSync(path);
  const root = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get()?.['rootpage']);
  database.close();
  const damaged = Buffer.from(whole);
  damaged.fill(0, (root - 1) * 4096, root * 4096);
  writeFileSync(path, damaged);
  const failed = await promptHere(['sessions', 'show'], { cwd });
  const name = readdirSync(join(cwd, STATE)).find((each) => /damaged-.*\.db$/.test(each)) ?? '';
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringContaining(`prompt-agent sessions repair "${join(cwd, STATE, name)}"`),
  ]);
  expect(failed.stderr).toContain('Run it again, which begins a new file.');
  expect(failed.stderr).not.toContain('Make the folder writable');
  await promptHere(['2+5'], { cwd });
  const repaired = await promptHere(['sessions', 'repair', join(cwd, STATE, name)], { cwd });
  expect([repaired.code, repaired.stdout]).toEqual([
    0,
    '3 sessions restored. Part of the file cannot be read and is missing.\n',
  ]);
  const again = await promptHere(['sessions', 'repair', join(cwd, STATE, name)], { cwd });
  expect(again.stdout).toContain('0 sessions restored, 3 already there.');
  const { sessions } = JSON.parse((await promptHere(['sessions', 'list', '--json'], { cwd })).stdout) as {
    sessions: { title: string }[];
  };
  expect(sessions.map(({ title }) => title).toSorted()).toEqual(['2+2', '2+3', '2+4', '2+5']);
  expect((await promptHere(['sessions', 'search', '2+3'], { cwd })).stdout).toContain('2+3');
  expect(readFileSync(join(cwd, STATE, name)).equals(damaged)).toBe(true);
});

test('sessions repair restores nothing from a database of NUL bytes, and leaves it as it is', async () => {
  verifies('cli.sessions.repair');
  const cwd = workspace({ 'sessions.damaged-1.db': NULS });
  const repaired = await promptHere(['sessions', 'repair', 'sessions.damaged-1.db'], { cwd });
  expect([repaired.code, repaired.stdout]).toEqual([
    0,
    '0 sessions restored. Part of the file cannot be read and is missing.\n',
  ]);
  expect(readFileSync(join(cwd, 'sessions.damaged-1.db'), 'utf8')).toBe(NULS);
});

test('sessions repair opens a session in JSON Lines without the damaged lines, which stay in a copy', async () => {
  verifies('cli.sessions.repair');
  const entry = '{"type":"message","message":{"role":"user","content":"a"}}\n';
  const content = `{"session":1,"id":"x"}\n${entry}${NULS}\n${entry}`;
  const cwd = workspace({ 'chat.jsonl': content, 'text.txt': 'hello\n' });
  const repaired = await promptHere(['sessions', 'repair', 'chat.jsonl'], { cwd });
  expect([repaired.code, repaired.stdout]).toEqual([0, expect.stringContaining('line 3 could not be read')]);
  expect(readFileSync(join(cwd, 'chat.jsonl'), 'utf8')).toBe(
    `{"session":1,"id":"x"}\n${entry}{"type":"lost"}\n${entry}`,
  );
  const copy = readdirSync(cwd).find((name) => name.startsWith('chat.jsonl.damaged-')) ?? '';
  expect(readFileSync(join(cwd, copy), 'utf8')).toBe(content);
  const again = await promptHere(['sessions', 'repair', 'chat.jsonl'], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('is not damaged')]);
  for (const name of ['text.txt', 'none.jsonl', '.'])
    expect((await promptHere(['sessions', 'repair', name], { cwd })).code).toBe(2);
  expect((await promptHere(['sessions', 'repair'], { cwd })).code).toBe(2);
});
