import { KernelError } from '@kernel/protocol';
import { spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { ownIdentity } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { SessionEntry } from '../../src/index.ts';
import { loadHistory } from '../../src/session/run-session.ts';
import { openFileSession } from '../../src/session/file-session.ts';
import { user } from '../support.ts';

const FILE_SESSION = new URL('../../src/session/file-session.ts', import.meta.url).href;
const RACES = 240;
const WORKERS = 3;
const entry = (text: string): SessionEntry => ({ type: 'message', message: user(text) });
const own = ownIdentity();
const { pid: deadPid } = spawnSync(process.execPath, ['--version']);

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function lockOf(identity: object): string {
  return JSON.stringify({ ...own, token: crypto.randomUUID(), ...identity });
}

/** Locks that processes left which have ended. */
const STALE: readonly (readonly [string, () => string])[] = [
  ['a process that has ended', () => lockOf({ pid: deadPid })],
  ['an earlier process with our own id, in a container', () => lockOf({ start: '1' })],
  ['an earlier process with id 1, in a container', () => lockOf({ pid: 1, start: '1' })],
  ['our own id, written by an earlier release', () => String(process.pid)],
  ['a process that has ended, written by an earlier release', () => String(deadPid)],
  ['nobody', () => 'not a lock'],
];

test.each(STALE)('the lock of %s is taken over', async (_name, text) => {
  verifies('agent.session.lock');
  const folder = createFolder();
  const path = join(folder, 'a.jsonl');
  writeFileSync(`${path}.lock`, text());
  const session = await openFileSession(path);
  await expect(openFileSession(path)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  await session.close();
  expect(readdirSync(folder)).toEqual(['a.jsonl']);
});

test('a lock of id 1 that an earlier release wrote is taken over where that is the first process of the machine', async () => {
  verifies('agent.session.lock');
  const path = join(createFolder(), 'a.jsonl');
  writeFileSync(`${path}.lock`, '1');
  const isOurKind = readFileSync('/proc/1/comm', 'utf8') === readFileSync('/proc/self/comm', 'utf8');
  const outcome = await openFileSession(path).then(
    (session) => session.close().then(() => 'opened'),
    (error: unknown) => (KernelError.is(error) ? error.code : error),
  );
  expect(outcome).toBe(isOurKind ? 'SESSION_LOCKED' : 'opened');
});

test('an empty lock is waited for shortly and then taken over', async () => {
  verifies('agent.session.lock');
  const path = join(createFolder(), 'a.jsonl');
  writeFileSync(`${path}.lock`, '');
  const session = await openFileSession(path);
  expect(await session.entries()).toEqual([]);
  await session.close();
});

test.each([
  ['of another machine', { host: 'elsewhere', boot: crypto.randomUUID() }],
  ['of a process that runs', { pid: process.ppid, start: undefined }],
])('a lock %s is not taken over', async (_name, identity) => {
  verifies('agent.session.lock');
  const path = join(createFolder(), 'a.jsonl');
  writeFileSync(`${path}.lock`, lockOf(identity));
  await expect(openFileSession(path)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
});

test('240 takeovers that several threads try at once have one winner each', async () => {
  verifies('agent.session.lock.oneWinner');
  const folder = createFolder();
  const old = new Date(Date.now() - 60_000);
  const paths = Array.from({ length: RACES }, (_, race) => {
    const path = join(folder, `${race}.jsonl`);
    const token = crypto.randomUUID();
    writeFileSync(
      `${path}.lock`,
      race % 3 === 0 ? '' : race % 3 === 1 ? String(deadPid) : lockOf({ pid: deadPid, token }),
    );
    utimesSync(`${path}.lock`, old, old);
    // One that ended in the middle of a takeover.
    if (race % 6 === 2) writeFileSync(`${path}.lock.${token}`, lockOf({ pid: deadPid }));
    return path;
  });
  const counts = new Int32Array(new SharedArrayBuffer(4 * (RACES + 1)));
  const errors = await Promise.all(
    Array.from({ length: WORKERS }, () => {
      const worker = new Worker(new URL('takeover-worker.ts', import.meta.url), {
        workerData: { paths, workers: WORKERS, counts },
        execArgv: ['--conditions=@kernel/source'],
      });
      return new Promise<readonly string[]>((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
      });
    }),
  );
  expect(counts.slice(1).every((winners) => winners === 1)).toBe(true);
  expect(new Set(errors.flat())).toEqual(new Set(['SESSION_LOCKED']));
  expect(readdirSync(folder).filter((name) => !/^\d+\.jsonl\.lock$/.test(name))).toEqual([]);
});

test('a session that is open cannot be opened through a symbolic link, a folder that is one, or a hard link', async () => {
  verifies('agent.session.lock.links');
  const folder = createFolder();
  mkdirSync(join(folder, 'real'));
  symlinkSync(join(folder, 'real'), join(folder, 'other'));
  const path = join(folder, 'real', 'a.jsonl');
  symlinkSync(path, join(folder, 'link.jsonl'));
  const session = await openFileSession(join(folder, 'link.jsonl')); // creates the file that it leads to
  await session.append([entry('a')]);
  for (const name of ['link.jsonl', 'real/a.jsonl', 'other/a.jsonl'])
    await expect(openFileSession(join(folder, name))).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  linkSync(path, join(folder, 'hard.jsonl'));
  await expect(openFileSession(join(folder, 'hard.jsonl'))).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('2 hard links'),
  });
  await session.close();
});

test.each(['notes', '{', '{"a":1}', '{"session":1,"id":"not an id', 'x'.repeat(1_000_000), '\u{FEFF}{"session":1}'])(
  'a foreign file without a newline is refused and not changed: %.20s',
  async (text) => {
    verifies('agent.session.foreign');
    const path = join(createFolder(), 'a.txt');
    writeFileSync(path, text);
    const before = readFileSync(path);
    await expect(openFileSession(path)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(path)).toEqual(before);
  },
);

test.each(['{"session":1,"user":"bob"}', '{"session":-1}', '{"session":1,"id":2}'])(
  'a foreign file that begins with %s is not cut',
  async (line) => {
    verifies('agent.session.foreign');
    const path = join(createFolder(), 'a.txt');
    const text = `${line}\nnotes without a newline`;
    writeFileSync(path, text);
    await expect(openFileSession(path)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(readFileSync(path, 'utf8')).toBe(text);
  },
);

test('a lock that is a pipe or a device fails and blocks nothing', () => {
  verifies('agent.session.lock');
  const folder = createFolder();
  spawnSync('mkfifo', [join(folder, 'a.jsonl.lock')]);
  symlinkSync('/dev/zero', join(folder, 'b.jsonl.lock'));
  const code = `import { openFileSession } from ${JSON.stringify(FILE_SESSION)};
    for (const name of ['a', 'b'])
      await openFileSession(name + '.jsonl').catch((error) => console.log(error.code, error.message.includes('not a regular file')));`;
  // In a process of its own, which a read that blocks cannot take along.
  const options = { cwd: folder, timeout: 120_000, encoding: 'utf8' } as const;
  const args = ['--conditions=@kernel/source', '--input-type=module', '-e', code];
  expect(spawnSync(process.execPath, args, options).stdout).toBe('STORE_FAILED true\nSTORE_FAILED true\n');
});

test('a session with bytes that are not UTF-8 before a torn line opens, and loses only the torn line', async () => {
  verifies('agent.session.foreign');
  const path = join(createFolder(), 'a.jsonl');
  const line = Buffer.from(`${JSON.stringify(entry('a?b'))}\n`);
  line[line.indexOf('?')] = 0xff;
  writeFileSync(path, Buffer.concat([Buffer.from('{"session":1,"id":"x"}\n'), line, Buffer.from('{"type":"mess')]));
  const session = await openFileSession(path);
  await session.append([entry('next')]);
  await session.close();
  const again = await openFileSession(path);
  expect(await again.entries()).toEqual([entry('a\uFFFDb'), { type: 'lost' }, entry('next')]);
  await again.close();
});

test('messages with content of null, parts that are none and ids that are missing are read as far as they make sense', async () => {
  verifies('agent.session.foreign');
  const path = join(createFolder(), 'a.jsonl');
  const messages = [
    { role: 'user', content: null },
    { role: 'assistant', content: null },
    {
      role: 'assistant',
      content: [null, { type: 'tool-call', name: 'a', arguments: '{}' }, { type: 'text', text: 'b' }],
    },
    { role: 'tool', content: 'no id' },
    { role: 'assistant', content: 'c' },
    { role: 'user', content: 'd' },
  ];
  const lines = [{ session: 1, id: 'x' }, ...messages.map((message) => ({ type: 'message', message }))];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const session = await openFileSession(path);
  const history = await loadHistory(session);
  expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(history[0]?.content).toBe('');
  expect(history[1]?.content).toEqual([
    { type: 'text', text: 'b' },
    { type: 'text', text: 'c' },
  ]);
  await session.close();
});
