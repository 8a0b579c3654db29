import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandTools } from '../../src/commands/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { isolations } from './isolations.ts';
import { commands, emptyFolder, PLACES } from './support.ts';

const namespaces = isolations.find(({ name }) => name === 'Linux namespaces') ?? expect.fail('there is none');
const { isolation } = namespaces;
const PROGRAM = fileURLToPath(new URL('../fixtures/in-isolation.ts', import.meta.url));

/** What an isolated script says, and the folder that it may read, on a system that another script has prepared. */
async function isolatedWhere(prepared: string, script: string) {
  const [root, readable] = [await emptyFolder(), await emptyFolder()];
  mkdirSync(join(readable, 'below'));
  const namespace = '--user --map-root-user --mount -- /bin/sh -euc'.split(' ');
  const node = [process.execPath, ...process.execArgv, PROGRAM, root, readable, script];
  const args = [...namespace, `${prepared}; shift; exec "$@"`, 'sh', readable, ...node];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TMPDIR: tmpdir() };
  return {
    said: String(JSON.parse(execFileSync(findProgram('unshare') ?? '', args, { env, encoding: 'utf8' }))),
    readable,
  };
}

describe('Linux namespaces', namespaces.feature.options, () => {
  it.each(PLACES)('take at most 16 processes to isolate a command $place', async ({ isInTerminal }) => {
    verifies('toolbox.isolation.cost');
    const { run, folder } = await commands({ isInTerminal, isolation, hidden: ['.env'] });
    mkdirSync(join(folder, '.git'));
    writeFileSync(join(folder, '.env'), '');
    // Processes are numbered as they start, from 1 in a namespace of their own.
    const { forLLM } = await run(['/bin/sh', '-c', 'echo "number $$"']);
    expect(Number(/^number (\d+)$/m.exec(forLLM)?.[1])).toBeLessThanOrEqual(16);
  });

  it('isolate a command in a folder with any name, with its repository and its hidden files', async () => {
    verifies('toolbox.isolation');
    const root = join(await emptyFolder(), `späce "q" it's \\040 \\ [x]* $HOME\ttab\nнова`);
    mkdirSync(join(root, '.git'), { recursive: true });
    mkdirSync(join(root, 'k eys'));
    writeFileSync(join(root, 'k eys/a'), 'secret');
    writeFileSync(join(root, '.e nv'), 'secret');
    const workspace = await createWorkspace({ root, write: ['**'] });
    const { tools, close } = commandTools({ workspace, isolation, hidden: ['.e nv', 'k eys'] });
    onTestFinished(close);
    const script = 'echo new > file; cat file ".e nv" "k eys"/*; echo x > .git/config; pwd';
    const { forLLM } = await createRegistry(tools).execute('run_command', { command: ['/bin/sh', '-c', script] });
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('new\n');
    expect(forLLM).toContain(root);
    expect(forLLM).not.toContain('secret');
    expect(existsSync(join(root, '.git/config'))).toBe(false);
  });

  it('show what is readable in the folder for temporary files, read-only', async () => {
    verifies('toolbox.isolation');
    const readable = await emptyFolder();
    writeFileSync(join(readable, 'file'), 'readable');
    const paths = [readable, join(readable, 'file'), '/tmp', '/tmp/.', '/dev'];
    const { run } = await commands({ isolation, readable: paths });
    const script =
      'cat "$1/file"; for at in "$1" /dev /dev/shm; do echo > "$at/made" && echo written; done; echo x > /tmp/own && echo own';
    const { forLLM } = await run(['/bin/sh', '-c', script, 'sh', readable]);
    expect(forLLM).toContain('readable');
    expect(forLLM).not.toContain('written');
    expect(forLLM).toContain('own');
    expect(existsSync('/tmp/own')).toBe(false);
  });

  it('keep the flags of what is mounted below a readable folder, and make it read-only', async () => {
    verifies('toolbox.isolation');
    const mounted = 'mount -t tmpfs -o noexec,noatime tmpfs "$1/below"; echo content > "$1/below/file"';
    const script = 'cd "$1/below"; cat file; echo x > file; grep below /proc/self/mountinfo';
    const { said, readable } = await isolatedWhere(mounted, script);
    expect(said).toContain('content');
    expect(said).toContain('Read-only');
    expect(said).toContain(`${readable.replaceAll(' ', String.raw`\040`)}/below ro,nosuid,nodev,noexec,noatime`);
  });

  it.each([
    ['namespaces', 'echo 0 > /proc/sys/user/max_user_namespaces', 'to use Linux namespaces: unshare: unshare failed'],
    ['mounts', 'mount -t tmpfs tmpfs /proc/sys', 'to mount for Linux namespaces: mount: /mnt/proc: '],
  ])('that a container refuses are told with what it refuses and what to do: %s', async (_, refused, reason) => {
    verifies('toolbox.isolation.none');
    const { said } = await isolatedWhere(refused, 'true');
    expect(said).toContain('Commands must be isolated, but no isolation works here.');
    expect(said).toContain(`The system does not allow this user ${reason}`);
    expect(said).toMatch(/Install bubblewrap .* A container of Docker has to be started with/);
  });
});
