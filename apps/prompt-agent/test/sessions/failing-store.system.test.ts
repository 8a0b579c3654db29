import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { environmentAt, type Outcome, promptHere, workspace } from '../program.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const TOOLS = new URL('../../../../packages/tools/dist/index.js', import.meta.url).href;

const MODULE = `
import { appendFileSync } from 'node:fs';
import { bindTool } from ${JSON.stringify(TOOLS)};
const parameters = { type: 'object', properties: {} };
export const tools = [
  bindTool({ name: 'look', description: 'Looks.', parameters, effect: 'read' }, () => 'text'),
  bindTool({ name: 'pay', description: 'Pays.', parameters, effect: 'external' }, () => {
    appendFileSync('paid.txt', 'paid\\n');
    return 'paid';
  }),
];
`;

test.each([['/proc'], ['a-file/state']])(
  'where nothing can be kept, as in %s, the answer is printed and a note says why',
  async (state) => {
    verifies('cli.sessions.failures');
    const cwd = workspace({ 'a-file': 'x' });
    const env = { XDG_STATE_HOME: state.startsWith('/') ? state : join(cwd, state) };
    const answered = await promptHere(['2+3'], { cwd, env });
    expect(answered).toMatchObject({ code: 0, stdout: '5\n' });
    expect(answered.stderr).toMatch(
      /note: The sessions in .*sessions\.db cannot be used: .* This run is not kept\. .*XDG_STATE_HOME/,
    );
    const continued = await promptHere(['-c', '2+3'], { cwd, env });
    expect(continued).toMatchObject({ code: 1, stdout: '' });
    expect(continued.stderr).toContain('cannot be used');
  },
);

/** More than there is space for. */
const LARGE = 'x'.repeat(1_500_000);

/** A shell that can mount a small disk for itself alone. */
const canMount = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=64k tmpfs /mnt']).status === 0;

/** Runs the program with its state on a disk of this size. */
function promptOnDisk(cwd: string, size: string, args: readonly string[], before = ''): Promise<Outcome> {
  const state = join(cwd, 'state');
  mkdirSync(state, { recursive: true });
  const script = `mount -t tmpfs -o size="$1" tmpfs "$2" && shift 2 && ${before} exec "$@"`;
  return new Promise((resolve, reject) => {
    const child = spawn('unshare', ['-rm', 'sh', '-c', script, 'sh', size, state, process.execPath, CLI, ...args], {
      cwd,
      env: { ...environmentAt(cwd), XDG_STATE_HOME: state },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test.skipIf(!canMount)(
  'on a full disk the answer is printed, whether it was full from the start or became so',
  async () => {
    verifies('cli.sessions.failures');
    const cwd = workspace({ 'my.tools.mjs': MODULE });
    const atOnce = await promptOnDisk(cwd, '32k', ['2+3']);
    expect(atOnce).toMatchObject({ code: 0, stdout: '5\n' });
    expect(atOnce.stderr).toMatch(/This run is not kept\. .*ree some space/);
    const server = await startWireServer({
      replies: [{ text: LARGE, calls: [{ id: 'c1', name: 'look', arguments: {} }] }, { text: 'Read it.' }],
    });
    onTestFinished(() => server.close());
    const flags = [
      '--base-url',
      server.baseUrl,
      '--model',
      'm',
      '--execute',
      '--tools',
      'my.tools.mjs',
      '--allow',
      'pay',
    ];
    const later = await promptOnDisk(cwd, '1m', [...flags, 'read it']);
    expect(later).toMatchObject({ code: 0, stdout: 'Read it.\n' });
    expect(later.stderr).toContain('The run goes on, and the rest of it is not kept.');
    expect(later.stderr.match(/not kept/g)).toHaveLength(1);
  },
);

test.skipIf(!canMount)('sessions can be listed, shown and searched on a full disk', async () => {
  verifies('cli.sessions.failures');
  const cwd = workspace({});
  const fill = '"$1" "$2" 2+3 >&2; head -c 9m /dev/zero >"$XDG_STATE_HOME/filler" 2>&1;';
  for (const words of ['list', 'show', 'search 2+3', 'list --json']) {
    // oxlint-disable-next-line no-await-in-loop
    const ended = await promptOnDisk(cwd, '1m', ['sessions', ...words.split(' ')], fill);
    expect([words, ended.code]).toEqual([words, 0]);
    expect(ended.stdout).toContain('2+3');
  }
});

test.skipIf(!canMount)(
  'a call that may change something does not run if it could not be logged, so that nobody does it twice',
  async () => {
    verifies('cli.sessions.failures');
    const cwd = workspace({ 'my.tools.mjs': MODULE });
    const server = await startWireServer({
      replies: [
        { text: LARGE, calls: [{ id: 'c1', name: 'look', arguments: {} }] },
        { calls: [{ id: 'c2', name: 'pay', arguments: {} }] },
      ],
    });
    onTestFinished(() => server.close());
    const flags = [
      '--base-url',
      server.baseUrl,
      '--model',
      'm',
      '--execute',
      '--tools',
      'my.tools.mjs',
      '--allow',
      'pay',
    ];
    const ended = await promptOnDisk(cwd, '1m', [...flags, 'read it and pay']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('could not be logged in the session, so it did not run');
    expect(ended.stderr).toContain('--no-session');
    expect(existsSync(join(cwd, 'paid.txt'))).toBe(false);
    // Without a session, nothing needs to be logged.
    server.enqueue({ calls: [{ id: 'c1', name: 'pay', arguments: {} }] }, { text: 'Paid.' });
    expect(await promptOnDisk(cwd, '32k', [...flags, '--no-session', 'pay'])).toMatchObject({
      code: 0,
      stdout: 'Paid.\n',
    });
    expect(readFileSync(join(cwd, 'paid.txt'), 'utf8')).toBe('paid\n');
  },
);
