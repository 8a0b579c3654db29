import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startWireServer, verifies, type WireServer } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Outcome, prompt, promptHere, workspace } from '../program.ts';

const TOOLS = new URL('../../../../packages/tools/dist/index.js', import.meta.url).href;

/** Tools that log each call and wait for a file, so that the process can be killed in them. What goes on with a run is the process of the tests. */
const MODULE = `
import { appendFileSync, existsSync } from 'node:fs';
import { bindTool } from ${JSON.stringify(TOOLS)};
const beside = (name) => new URL(name, import.meta.url);
const tool = (name, effect) =>
  bindTool({ name, description: 'Does a step.', parameters: { type: 'object' }, effect }, async (_, { idempotencyKey }) => {
    appendFileSync(beside('effects.txt'), name + ' ' + idempotencyKey + '\\n');
    while (name !== 'look' && !existsSync(beside('go.txt')) && existsSync(beside('wait.txt')))
      await new Promise((resolve) => setTimeout(resolve, 5));
    return name + ' done';
  });
export const tools = [tool('pay', 'external'), tool('book', 'idempotent'), tool('look', 'read')];
`;

interface Body {
  readonly messages: readonly { readonly role: string; readonly content?: unknown; readonly tool_call_id?: string }[];
}

/** A model that calls each tool in a turn of its own, and then answers. It hangs at request `hangsAt`. */
async function startModel(calls: readonly string[], hangsAt?: number): Promise<WireServer & { asked: () => number }> {
  let asked = 0;
  const server = await startWireServer({
    replies(request) {
      asked += 1;
      if (asked === hangsAt) return { text: 'too late', fault: { beforeHead: 'stall' } };
      const { messages } = request.body as Body;
      const name = calls[messages.filter(({ role }) => role === 'tool').length];
      if (name === undefined) return { text: `done with ${messages.filter(({ role }) => role === 'user').length}` };
      return { calls: [{ id: `c_${name}`, name, arguments: {} }] };
    },
  });
  onTestFinished(() => server.close());
  return { ...server, asked: () => asked };
}

const args = (server: WireServer, ...rest: readonly string[]): readonly string[] => [
  '--base-url',
  server.baseUrl,
  '--model',
  'm',
  '--execute',
  '--tools',
  'my.tools.mjs',
  ...rest,
];

const effectsIn = (cwd: string): readonly string[] => {
  const path = join(cwd, 'effects.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};

/** Runs the program until something holds, and sends it a signal. */
async function stoppedIn(
  given: readonly string[],
  cwd: string,
  signal: NodeJS.Signals,
  when: () => boolean,
): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const outcome = await prompt(given, {
    cwd,
    spawned(child) {
      timer = setInterval(() => {
        if (!when()) return;
        clearInterval(timer);
        child.kill(signal);
      }, 5);
    },
  });
  clearInterval(timer);
  return outcome;
}

async function killed(given: readonly string[], cwd: string, when: () => boolean): Promise<void> {
  expect((await stoppedIn(given, cwd, 'SIGKILL', when)).code).toBeNull();
}

async function messagesOf(cwd: string, name: string): Promise<readonly string[]> {
  const { stdout } = await promptHere(['sessions', 'export', name], { cwd });
  const lines = stdout.trim().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { type: string; entry?: { message?: { role: string } } });
  return entries.flatMap(({ entry }) => entry?.message?.role ?? []);
}

const ROLES = ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool', 'assistant'];
const go = (cwd: string): void => writeFileSync(join(cwd, 'go.txt'), '');

test.each([
  ['a call with an effect, which is told as unknown and not entered again', 'pay', 1],
  ['a call that can be repeated, which runs again under the same key', 'book', 2],
] as const)('killed in %s, a recorded run goes on with -c', async (_, at, times) => {
  verifies('cli.durable.killed');
  const cwd = workspace({ 'my.tools.mjs': MODULE, 'wait.txt': '' });
  const server = await startModel(['look', at, 'look']);
  const given = args(server, '--allow', 'pay', '--allow', 'book');
  const isIn = (): boolean => effectsIn(cwd).some((line) => line.startsWith(at));
  await killed([...given, '--durable', '--session', 'trip', 'pay it'], cwd, isIn);
  // What ran is in the journal, and the session has only what was asked.
  expect(await messagesOf(cwd, 'trip')).toEqual(['user']);
  expect((await promptHere(['runs', 'list'], { cwd })).stdout).toContain('running');
  expect(server.asked()).toBe(2);
  go(cwd);
  expect(await promptHere(['-c', ...given], { cwd })).toMatchObject({ code: 0, stdout: 'done with 1\n' });
  const entered = effectsIn(cwd).filter((line) => line.startsWith(at));
  expect([entered.length, new Set(entered).size]).toEqual([times, 1]);
  expect(effectsIn(cwd).filter((line) => line.startsWith('look'))).toHaveLength(2);
  // No recorded reply was requested again.
  expect(server.asked()).toBe(4);
  expect(await messagesOf(cwd, 'trip')).toEqual(ROLES);
  const { stdout } = await promptHere(['sessions', 'export', 'trip'], { cwd });
  expect(stdout.includes('OUTCOME_UNKNOWN')).toBe(times === 1);
  // Nothing is left of it in the journal.
  expect((await promptHere(['runs', 'list'], { cwd })).stdout).toBe('');
});

test('killed while the model replies, a recorded run asks for that reply again and repeats nothing', async () => {
  verifies('cli.durable.killed');
  const cwd = workspace({ 'my.tools.mjs': MODULE });
  const server = await startModel(['look', 'pay'], 3);
  const given = args(server, '--allow', 'pay');
  await killed([...given, '--durable', 'pay it'], cwd, () => server.asked() === 3);
  // A new message joins the run that goes on.
  expect(await promptHere(['-c', ...given, 'and say so'], { cwd })).toMatchObject({ code: 0, stdout: 'done with 2\n' });
  expect(effectsIn(cwd).map((line) => line.split(' ')[0])).toEqual(['look', 'pay']);
  const [session = ''] = (await promptHere(['sessions', 'list', '--json'], { cwd })).stdout.match(/[\da-f]{32}/) ?? [];
  expect(await messagesOf(cwd, session)).toEqual([...ROLES.slice(0, 5), 'user', 'assistant']);
});

test('without a terminal a call waits in the journal, and goes on with -c once runs approve has let it', async () => {
  verifies('cli.durable.approvals');
  const cwd = workspace({ 'my.tools.mjs': MODULE });
  const server = await startModel(['pay']);
  const waits = await promptHere(args(server, '--durable', '--session', 'trip', 'pay it'), { cwd });
  expect(waits).toMatchObject({ code: 4, stdout: '' });
  const { runs } = JSON.parse((await promptHere(['runs', 'list', '--json'], { cwd })).stdout) as {
    runs: readonly { id: string; status: string }[];
  };
  expect(runs).toMatchObject([{ status: 'waiting', waiting: [{ call: 'c_pay', name: 'pay' }] }]);
  expect(await promptHere(args(server, '--session', 'trip'), { cwd })).toMatchObject({ code: 4, stdout: '' });
  expect(await promptHere(['runs', 'approve', runs[0]?.id ?? ''], { cwd })).toMatchObject({ code: 0 });
  expect(effectsIn(cwd)).toEqual([]);
  expect(await promptHere(args(server, '--session', 'trip'), { cwd })).toMatchObject({
    code: 0,
    stdout: 'done with 1\n',
  });
  expect(effectsIn(cwd)).toHaveLength(1);
});

test('Ctrl-C leaves a recorded run in its journal, and -c continues it', async () => {
  verifies('cli.durable.killed');
  const cwd = workspace({ 'my.tools.mjs': MODULE, 'wait.txt': '' });
  const server = await startModel(['look', 'pay']);
  const given = args(server, '--allow', 'pay');
  const stopped = await stoppedIn([...given, '--durable', 'pay it'], cwd, 'SIGINT', () =>
    effectsIn(cwd).some((line) => line.startsWith('pay')),
  );
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain('prompt-agent -c continues it');
  go(cwd);
  expect(await promptHere(['-c', ...given], { cwd })).toMatchObject({ code: 0, stdout: 'done with 1\n' });
  expect(effectsIn(cwd).map((line) => line.split(' ')[0])).toEqual(['look', 'pay']);
});

test('with another model a run that has begun does not go on, and says what to do', async () => {
  verifies('cli.durable.blocked');
  const cwd = workspace({ 'my.tools.mjs': MODULE });
  const server = await startModel(['look', 'pay'], 3);
  const given = args(server, '--allow', 'pay');
  await killed([...given, '--durable', 'pay it'], cwd, () => server.asked() === 3);
  const other = await promptHere(['-c', ...given, '--model', 'other'], { cwd });
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toContain('Restore the previous model and options, or cancel the run: prompt-agent runs cancel');
  expect(await promptHere(['-c', ...given], { cwd })).toMatchObject({ code: 0 });
  expect(effectsIn(cwd).map((line) => line.split(' ')[0])).toEqual(['look', 'pay']);
});

test('--durable works without a model, keeps its file private, and is refused where nothing can be recorded', async () => {
  verifies('cli.durable.flags');
  const cwd = workspace({ 'a.txt': 'x' });
  expect(await promptHere(['--durable', '--journal', 'my.db', 'what is 6 * 7?'], { cwd })).toMatchObject({
    stdout: '42\n',
  });
  expect(statSync(join(cwd, 'my.db')).mode & 0o777).toBe(0o600);
  // The session knows its journal.
  expect(await promptHere(['-c', 'and 8 * 8?'], { cwd })).toMatchObject({ stdout: '64\n' });
  expect(await promptHere(['-c'], { cwd })).toMatchObject({ code: 0, stdout: '64\n' });
  expect((await promptHere(['runs', 'list', '--journal', 'my.db'], { cwd })).stderr).toContain(
    'There are no runs yet.',
  );
  for (const [given, said] of [
    [['--durable', '--no-session', 'hi'], '--durable and --no-session exclude each other.'],
    [['--durable', '--protocol', 'chat', 'hi'], '--durable and --protocol exclude each other'],
    [['--journal', 'x.db', 'hi'], '--journal needs --durable.'],
    [['--durable', '--journal', '', 'hi'], '--journal "" must be the path of a file.'],
    [['chat', '--durable'], '--durable has no effect on chat'],
    [['chat', '-c'], 'is recorded in a journal: continue it with prompt-agent -c'],
    [['-c', '--durable', '--journal', 'other.db', 'hi'], 'is recorded in another journal'],
    [['--durable', '--journal', 'a.txt', 'hi'], 'a.txt'],
  ] as const) {
    const { code, stderr } = await promptHere(given, { cwd });
    expect(stderr).toContain(said);
    expect(code).toBe(2);
  }
});

test('what the journal needs is loaded for --durable alone', async () => {
  verifies('cli.durable.loads');
  const loads = new URL('../fixtures/loads.ts', import.meta.url).href;
  const loaded = async (...flags: readonly string[]): Promise<string> =>
    (await prompt([...flags, '2+3'], { env: { NODE_OPTIONS: `--import=${loads}` } })).stderr;
  expect(await loaded('--durable')).toMatch(/recorded-session/);
  expect(await loaded()).not.toMatch(/recorded-session/);
  expect(await loaded('--no-session')).not.toMatch(/sqlite|recorded-session/);
});
