import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownIdentity } from '@kernel/internal';
import type { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemFeature } from '../../../../test/setup/system-feature.ts';
import { openFileSession } from '../../src/session/file-session.ts';

const HOLDER = fileURLToPath(new URL('holder.ts', import.meta.url));
const PROGRAM = [process.execPath, '--conditions=@kernel/source', HOLDER];
const USER = ['--user', '--map-root-user'];
const UNSHARE = ['--pid', '--fork', '--kill-child'];

const WAYS: readonly (readonly [string, readonly string[]])[] = [
  ['a PID namespace', [...USER, ...UNSHARE]],
  ['a PID namespace with a /proc of its own', [...USER, ...UNSHARE, '--mount-proc']],
  ['a PID and a UTS namespace', [...USER, ...UNSHARE, '--mount-proc', '--uts']],
];
const feature = systemFeature(
  'unshare of Linux namespaces',
  spawnSync('/usr/bin/unshare', [...USER, ...UNSHARE, '--mount-proc', '/bin/true']).status === 0,
);

function sessionPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.jsonl');
}

/** Starts a process, in namespaces of its own or not, that opens the session; returns it, and what it says. */
async function open(path: string, namespaces: readonly string[]): Promise<{ child: ChildProcess; said: string }> {
  const [program = '', ...args] = namespaces.length === 0 ? PROGRAM : ['/usr/bin/unshare', ...namespaces, ...PROGRAM];
  const child = spawn(program, [...args, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, said: text.toString().trim() };
}

describe('a session that a container holds', feature.options, () => {
  test.each(WAYS)('is refused to a process outside of %s, and to one in another', async (_name, namespaces) => {
    verifies('agent.session.lock.namespaces');
    const path = sessionPath();
    const first = await open(path, namespaces);
    expect(first.said).toBe('opened');
    await expect(openFileSession(path)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    expect((await open(path, namespaces)).said).toBe('SESSION_LOCKED');
    first.child.stdin?.end();
    await once(first.child, 'exit');
    await (await openFileSession(path)).close();
  });

  test.each(WAYS)('is refused in %s while a process outside holds it', async (_name, namespaces) => {
    verifies('agent.session.lock.namespaces');
    const path = sessionPath();
    const session = await openFileSession(path);
    expect((await open(path, namespaces)).said).toBe('SESSION_LOCKED');
    await session.close();
    expect((await open(path, namespaces)).said).toBe('opened');
  });

  test('is still refused after that was killed, because nobody outside can tell', async () => {
    verifies('agent.session.lock.namespaces');
    const path = sessionPath();
    const { child } = await open(path, WAYS[0]?.[1] ?? []);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(openFileSession(path)).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      hint: expect.stringContaining(`remove ${path}.lock`),
    });
  });

  test('is taken over by a process of the same container once the first one has ended', async () => {
    verifies('agent.session.lock.namespaces');
    const path = sessionPath();
    const args = [
      ...USER,
      ...UNSHARE,
      '--mount-proc',
      process.execPath,
      '-e',
      IN_ONE,
      JSON.stringify([...PROGRAM, path]),
    ];
    const { stdout } = spawnSync('/usr/bin/unshare', args, { encoding: 'utf8' });
    expect(stdout.trim().split('\n')).toEqual(['opened', 'opened']);
  });
});

/** Starts a holder, kills it when it holds the session, and starts another one. */
const IN_ONE = `
const { spawn } = require('node:child_process');
const [program, ...args] = JSON.parse(process.argv[1]);
const start = () => new Promise((resolve) => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.once('data', (text) => { process.stdout.write(text); resolve(child); });
});
start().then((child) => {
  child.once('exit', () => void start().then((next) => next.stdin.end()));
  child.kill('SIGKILL');
});
`;

test('a lock of a made container is refused, and one of this container whose process has ended is taken over', async () => {
  verifies('agent.session.lock.namespaces');
  const path = sessionPath();
  const { pid } = spawnSync(process.execPath, ['--version']);
  const lock = { ...ownIdentity(), pid, token: crypto.randomUUID() };
  writeFileSync(`${path}.lock`, JSON.stringify({ ...lock, namespace: 'pid:[1]' }));
  await expect(openFileSession(path)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  writeFileSync(`${path}.lock`, JSON.stringify(lock));
  const session = await openFileSession(path);
  expect(JSON.parse(readFileSync(`${path}.lock`, 'utf8'))).toMatchObject(ownIdentity());
  await session.close();
});

test.each<readonly [string, Readonly<Record<string, unknown>>, boolean]>([
  ['another container', { namespace: 'pid:[1]' }, false],
  ['another machine', { machine: 'other', boot: 'other' }, false],
  ['an earlier boot of a container', { boot: 'other', namespace: 'pid:[1]' }, false],
  ['a process that runs here', {}, true],
])(
  'the refusal of a lock of %s says how to tell that it is left behind, and what to do then',
  async (_, changed, isSeen) => {
    verifies('agent.session.lock.namespaces');
    const path = sessionPath();
    const at = new Date('2026-11-20T10:00:00.000Z');
    writeFileSync(
      `${path}.lock`,
      JSON.stringify({ ...ownIdentity(), host: 'box-1', ...changed, token: crypto.randomUUID() }),
    );
    utimesSync(`${path}.lock`, at, at);
    const { message, hint } = await openFileSession(path).then(
      () => ({ message: 'opened', hint: '' }),
      (error: unknown) => error as KernelError,
    );
    expect(message).toContain(`is open in process ${process.pid} on box-1`);
    expect(message.includes('a container or machine whose processes cannot be seen from here')).toBe(!isSeen);
    expect(hint).toContain(`remove ${path}.lock`);
    // When it was opened is what to compare with when that container was stopped.
    expect(/opened there at 2026-11-20T10:00:0\d/.test(hint ?? '')).toBe(!isSeen);
    expect(hint?.includes('has stopped')).toBe(!isSeen);
  },
);
