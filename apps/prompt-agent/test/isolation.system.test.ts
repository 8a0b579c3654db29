import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { namespaces } from '../../../test/setup/namespaces.ts';
import { environmentAt, promptHere, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** Runs the program where a part of `/proc` is hidden, as in Docker: the system refuses to mount another one. */
function promptInContainer(args: readonly string[]): Promise<string> {
  const cwd = workspace();
  const hidden = ['-c', 'mount -t tmpfs tmpfs /proc/sys && exec "$@"', 'sh', process.execPath, CLI, ...args];
  const container = [...'--user --map-root-user --mount -- /bin/sh'.split(' '), ...hidden];
  const env = { ...environmentAt(cwd), TMPDIR: tmpdir() };
  return new Promise((resolve) => {
    const child = execFile('unshare', container, { cwd, env }, (error, stdout, stderr) =>
      resolve(`${stdout}${stderr}exit ${error?.code ?? 0}`),
    );
    child.stdin?.end();
  });
}

const REFUSED =
  /The system does not allow this user to mount for Linux namespaces: mount: \/mnt\/proc: .*\. Install bubblewrap for all users\./;

describe('the isolation of commands', namespaces.options, () => {
  test('is named by doctor, with what it adds to a command', async () => {
    verifies('cli.doctor');
    const { stdout } = await promptHere(['doctor']);
    expect(stdout).toMatch(/\+ isolation +(?:bubblewrap|Linux namespaces), which adds about \d+ ms to a command\n/);
  });

  test('that a container refuses is told by doctor and --sandbox required, with what it refuses and what to do', async () => {
    verifies('cli.doctor', 'cli.sandbox');
    const found = await promptInContainer(['doctor']);
    expect(found).toMatch(/- isolation +none: commands run with all your rights\./);
    expect(found).toMatch(REFUSED);
    const flags = ['--base-url', 'http://127.0.0.1:1', '-m', 'm', '--bundle', 'code_agent', '--sandbox', 'required'];
    const refused = await promptInContainer([...flags, 'hi']);
    expect(refused).toContain('--sandbox required: nothing isolates commands here.');
    expect(refused).toMatch(REFUSED);
    expect(refused).toMatch(/Or give --sandbox auto, which says so in each result\.\s+exit 2$/);
  });
});
