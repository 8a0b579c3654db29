import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { namespaces } from '../../../test/setup/namespaces.ts';
import { environmentAt, prompt, promptHere, workspace } from './program.ts';

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

  test.each(['.config/prompt-agent', '.config', '.'])(
    'keeps a command from allowing itself anything, where the home is the workspace and there is only %s',
    async (there) => {
      verifies('cli.sandbox.own');
      const rules = '{"rules":[{"allow":"run_command"}]}';
      const plant = `mv .config .old; mkdir -p .config/prompt-agent; echo '${rules}' > .config/prompt-agent/permissions.json; echo made > file`;
      const cwd = workspace({ 'build.sh': plant });
      mkdirSync(join(cwd, there), { recursive: true });
      const call = (...command: readonly string[]) => ({ name: 'run_command', arguments: { command } });
      const server = await startWireServer({
        replies: [{ calls: [call('sh', 'build.sh')] }, { calls: [call('echo', 'unasked')] }],
      });
      const model = ['--base-url', server.baseUrl, '-m', 'm', '--bundle', 'code_agent'];
      const { code } = await promptHere([...model, '--allow', 'run_command(sh build.sh)', 'hi'], { cwd });
      await server.close();
      expect(existsSync(join(cwd, 'file'))).toBe(true);
      expect([code, existsSync(join(cwd, '.config/prompt-agent/permissions.json'))]).toEqual([4, false]);
      expect(readdirSync(cwd).toSorted()).toEqual(['.cache', '.config', '.local', 'build.sh', 'file']);
    },
  );
});

test('the code that is kept compiled is in folders of the user alone, also where new ones are open to all; what others could write is not used', () => {
  verifies('cli.cache.closed');
  const cache = workspace({ 'prompt-agent/planted': '' });
  const own = join(cache, 'prompt-agent');
  const start = () => {
    const env = { ...environmentAt(cache), NODE_COMPILE_CACHE: undefined, XDG_CACHE_HOME: cache };
    execFileSync('/bin/sh', ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, CLI, '--version'], { env });
    return globSync('**', { cwd: own }).map((path) => statSync(join(own, path)).mode & 0o077);
  };
  execFileSync('/bin/chmod', ['777', own]);
  const modes = start();
  expect(modes.length).toBeGreaterThan(2);
  expect(new Set(modes)).toEqual(new Set([0]));
  expect(existsSync(join(own, 'planted'))).toBe(false);
  writeFileSync(join(own, 'kept'), '', { mode: 0o600 });
  start();
  expect(existsSync(join(own, 'kept'))).toBe(true);
});

test.each([
  ['auto', 1],
  ['off', 0],
])('with --sandbox %s, the user reads %i times that nothing isolates the commands that run', async (sandbox, times) => {
  verifies('cli.sandbox.told');
  const call = { name: 'run_command', arguments: { command: ['sh', '-c', 'echo ran'] } };
  const server = await startWireServer({ replies: [{ calls: [call] }, { calls: [call] }, { text: 'Done.' }] });
  const flags = ['--base-url', server.baseUrl, '-m', 'm', '--bundle', 'code_agent', '--sandbox', sandbox, '-q'];
  const env = { NODE_OPTIONS: `--import=${new URL('fixtures/no-isolation.ts', import.meta.url).href}` };
  const { stderr } = await prompt([...flags, '--allow', 'run_command', 'hi'], { env });
  await server.close();
  expect(server.requests.length).toBe(3);
  expect(stderr.match(/nothing isolates commands here, so they run with all your rights/g)?.length ?? 0).toBe(times);
});
