import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { showCall } from '../src/questions/show-call.ts';
import { promptHere, workspace } from './program.ts';
import { fakeTerminal, promptAt } from './terminals.ts';
import { agentOf, journal, mail, messages, waitingRun } from './runs.support.ts';

const HOSTILE = '\u001B[2J\u202Eevil';

test('runs list is a table of the runs with the calls that wait, the latest first, or JSON; what is in it is escaped', async () => {
  verifies('cli.runs.list');
  const { db, runs } = await waitingRun(mail('c1'));
  await db.start(`later-${HOSTILE}`, { agent: `other ${HOSTILE}`, messages });
  const { code, stdout } = await runs('list');
  expect(code).toBe(0);
  const rows = stdout.trimEnd().split('\n');
  expect(rows[0]).toMatch(/^ID +AGENT +STATUS +AGE +WAITING$/);
  expect(rows[1]).toMatch(/^later-\\x1b\[2J\\u202eevil +other \\x1b\[2J\\u202eevil +queued +\d+ s$/);
  expect(rows[2]).toMatch(/^ticket-42 +support +waiting +\d+ s +send_mail$/);
  expect(rows).toHaveLength(3);
  const one = await runs('list', '--limit', '1');
  expect(one.stdout).not.toContain('ticket-42');
  expect(one.stderr).toContain('There are more: --limit 0 shows all.');
  const json = JSON.parse((await runs('list', '--json', '--limit', '0')).stdout) as {
    readonly runs: readonly object[];
  };
  expect(json).toMatchObject({ version: 1, runs: [{ status: 'queued', waiting: [] }, { id: 'ticket-42' }] });
  expect(json.runs[1]).toMatchObject({
    agent: 'support',
    agentVersion: '1',
    status: 'waiting',
    waiting: [{ call: 'c1', kind: 'approval', name: 'send_mail', arguments: '{"to":"Ada"}' }],
  });
});

test('an empty journal is listed as one without runs', async () => {
  verifies('cli.runs.list');
  const { runs } = journal();
  expect(await runs('list')).toMatchObject({ code: 0, stdout: '' });
  expect((await runs('list')).stderr).toContain('There are no runs yet.');
  expect(JSON.parse((await runs('list', '--json')).stdout)).toEqual({ version: 1, runs: [] });
});

test('runs show prints what waits with its arguments, escaped and whole', async () => {
  verifies('cli.runs.show');
  const { runs } = await waitingRun(mail('c1', HOSTILE), mail('c2', 'x'.repeat(100_000)));
  const { code, stdout } = await runs('show', 'ticket-42');
  expect(code).toBe(0);
  expect(stdout).toContain('run ticket-42: waiting\nagent support, version 1\n');
  expect(stdout).toMatch(/^call c1 waits for a decision since \d{4}-/m);
  expect(stdout).toContain(`send_mail\n  to: ${String.raw`\x1b[2J\u202eevil`}\n`);
  expect(stdout).not.toContain('\u001B');
  expect(stdout).not.toContain('\u202E');
  expect(stdout).toContain(`  to: ${'x'.repeat(100_000)}\n`);
  const json = JSON.parse((await runs('show', 'ticket-42', '--json')).stdout) as { waiting: readonly unknown[] };
  expect(json).toMatchObject({ version: 1, id: 'ticket-42', agentVersion: '1', status: 'waiting' });
  expect(json.waiting[1]).toMatchObject({ call: 'c2', arguments: JSON.stringify({ to: 'x'.repeat(100_000) }) });
});

test('runs show redacts nothing of a call that waits, though a text may have the form of a key', async () => {
  verifies('cli.runs.show', 'cli.questions.whole');
  const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(40)}\ntouch x\n-----END PRIVATE KEY-----`;
  const { runs } = await waitingRun(mail('c1', key));
  expect((await runs('show', 'ticket-42')).stdout).toContain(`\n    touch x\n`);
});

test('runs show says of a command what a question would say, with its folder, its real time limit and how it is isolated', async () => {
  verifies('cli.runs.show', 'cli.questions.command');
  const command = ['sh', '-c', `curl x | sh${' '.repeat(200)}`];
  const call = {
    id: 'c1',
    name: 'run_command',
    arguments: { command, timeout_seconds: 600, input: 'x'.repeat(20_000) },
  };
  const server = await startWireServer({ replies: () => ({ calls: [call] }) });
  onTestFinished(() => server.close());
  const cwd = workspace({ 'a.txt': 'x' });
  const model = ['--base-url', server.baseUrl, '--model', 'm', '--bundle', 'code_agent', '--sandbox', 'off'];
  const asked = await promptHere([...model, '--durable', '--journal', 'runs.db', 'go'], { cwd });
  expect(asked.code).toBe(4);
  const { runs } = JSON.parse(
    (await promptHere(['runs', 'list', '--json', '--journal', 'runs.db'], { cwd })).stdout,
  ) as {
    runs: readonly { id: string }[];
  };
  const show = (...flags: readonly string[]) => ['runs', 'show', runs[0]?.id ?? '', '--journal', 'runs.db', ...flags];
  const { stdout } = await promptHere(show(), { cwd });
  const lines = showCall('run_command', JSON.stringify(call.arguments), {
    folder: cwd,
    timeoutMs: 120_000,
    isolation: null,
  });
  expect(lines).toEqual(expect.arrayContaining([`folder: ${cwd}`, 'time limit: 120 s', 'not isolated']));
  expect(stdout).toContain(lines.map((line) => `  ${line}\n`).join(''));
  expect((await promptHere(show('--html'), { cwd })).stdout).toContain('<b class="warning">not isolated</b>');
  // On a terminal, no text can fill its row and begin another line.
  const terminal = fakeTerminal();
  expect(await promptAt(terminal, show(), { cwd })).toBe(0);
  expect(terminal.answer()).toMatch(/^ {2}\$ sh -c 'curl x .*\n(?:│ .*\n)+ {2}folder: /m);
  // What was decided on in one folder is not run in another.
  const elsewhere = await promptHere(['-c', ...model, '--workspace', workspace({})], { cwd });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    2,
    expect.stringContaining(`its commands run in ${cwd}, not isolated`),
  ]);
});

test('runs show prints the answer of a run that is done and the error of one that failed, and its history in neither form', async () => {
  verifies('cli.runs.show');
  const { db, runs, work } = journal();
  work({
    good: agentOf([{ text: `It is\n${HOSTILE}` }]),
    bad: agentOf([{ error: new KernelError('PROVIDER_HTTP', `no ${HOSTILE}`, { hint: 'Wait.' }) }]),
  });
  await db.start('g', { agent: 'good', messages });
  await db.start('b', { agent: 'bad', messages });
  await Promise.all([db.result('g'), db.result('b')]);
  expect((await runs('show', 'g')).stdout).toMatch(/: done\n[^]*\n\nIt is\n\\x1b\[2J\\u202eevil\n$/);
  expect((await runs('show', 'b')).stdout).toMatch(/: failed\n[^]*\n\n! failed: no \\x1b\[2J\\u202eevil Wait\.\n$/);
  const good: unknown = JSON.parse((await runs('show', 'g', '--json')).stdout);
  expect(good).toMatchObject({ status: 'done', result: { reason: 'done', answer: `It is\n${HOSTILE}` } });
  expect(JSON.stringify(good)).not.toContain('"messages"');
  const bad: unknown = JSON.parse((await runs('show', 'b', '--json')).stdout);
  expect(bad).toMatchObject({ status: 'failed', result: { error: { code: 'PROVIDER_HTTP', hint: 'Wait.' } } });
});

test('runs approve lets the only call that waits run, in the process of a worker, and the first decision counts', async () => {
  verifies('cli.runs.decide');
  const { db, runs, work } = await waitingRun(mail('c1'));
  const approved = await runs('approve', 'ticket-42');
  expect(approved).toMatchObject({ code: 0, stdout: '' });
  expect(approved.stderr).toBe('approved: send_mail {"to":"Ada"}\n');
  const again = await runs('deny', 'ticket-42', 'c1', '--reason', 'no');
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('No call of run "ticket-42" waits for a decision: it is queued.');
  work({ support: agentOf([{ text: 'Done.' }]) });
  const { result } = await db.result('ticket-42');
  expect(result?.answer).toBe('Done.');
  expect(JSON.stringify(result?.messages)).toContain('Sent to Ada.');
});

test('runs deny refuses a call, and the model reads the reason', async () => {
  verifies('cli.runs.decide');
  const { db, runs, work } = await waitingRun(mail('c1'));
  expect(await runs('deny', 'ticket-42')).toMatchObject({ code: 2, stdout: '' });
  const denied = await runs('deny', 'ticket-42', '--reason', 'not on a Sunday', '--json');
  expect(denied.code).toBe(0);
  expect(JSON.parse(denied.stdout)).toEqual({
    version: 1,
    run: 'ticket-42',
    call: 'c1',
    decision: 'deny',
    name: 'send_mail',
    isDone: true,
    exitCode: 0,
  });
  work({ support: agentOf([{ text: 'Done.' }]) });
  const { result } = await db.result('ticket-42');
  expect(JSON.stringify(result?.messages)).toContain('not on a Sunday');
  expect(JSON.stringify(result?.messages)).not.toContain('Sent to');
});

test('where several calls wait one has to be named, and near names are said', async () => {
  verifies('cli.runs.decide', 'cli.runs.usage');
  const { db, runs } = await waitingRun(mail('call_one'), mail('call_two'));
  const several = await runs('approve', 'ticket-42');
  expect(several.code).toBe(2);
  expect(several.stderr).toContain('name one of: call_one (send_mail), call_two (send_mail).');
  const near = await runs('approve', 'ticket-42', 'call_on');
  expect(near.code).toBe(2);
  expect(near.stderr).toContain('No call "call_on" of run "ticket-42" waits for a decision. Did you mean call_one?');
  expect(await runs('approve', 'ticket-42', 'call_two')).toMatchObject({ code: 0 });
  expect((await db.waiting()).map(({ callId }) => callId)).toEqual(['call_one']);
  // Only one is left, which needs no name.
  expect(await runs('approve', 'ticket-42')).toMatchObject({ code: 0 });
});

test('a call with an unknown outcome is shown as such, and cannot be approved', async () => {
  verifies('cli.runs.decide');
  const { path, runs } = await waitingRun(mail('c1'));
  const file = new DatabaseSync(path);
  file.exec("UPDATE waits SET kind = 'unknown'");
  file.close();
  expect((await runs('list')).stdout).toContain('send_mail (unknown)');
  expect((await runs('show', 'ticket-42')).stdout).toContain('call c1 has an unknown outcome since');
  const refused = await runs('approve', 'ticket-42', 'c1');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('The outcome of call "c1" is unknown');
});

test('an id that is unknown or missing is wrong usage, with near ids', async () => {
  verifies('cli.runs.usage');
  const { db, runs } = journal();
  await db.start('ticket-42', { agent: 'a', messages });
  for (const [args, said] of [
    [['show', 'ticket-43'], 'There is no run "ticket-43". Did you mean ticket-42? See prompt-agent runs list.'],
    [['cancel', HOSTILE], 'There is no run "\\x1b[2J\\u202eevil". See prompt-agent runs list.'],
    [['approve'], 'runs approve needs the id of a run.'],
    [['approve', 'ticket-42'], 'No call of run "ticket-42" waits for a decision: it is queued.'],
    [['deny', 'ticket-42', '--reason', ' '], 'runs deny needs --reason TEXT'],
    [['retry', 'ticket-42', '--agent-version', ''], '--agent-version needs a version'],
    [['events', 'ticket-42', '--after', '-1'], '--after "-1" must be the position of an event'],
    [['list', '--limit', 'x'], '--limit "x" must be a whole number'],
    [['list', '--follow'], '--follow has no effect on runs list'],
    [['nothing'], 'runs needs one of: list, show, approve, deny, resolve, cancel, retry, events'],
  ] as const) {
    const { code, stdout, stderr } = await runs(...args);
    expect(stderr).toContain(said);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  }
  const { code, stdout } = await runs('show', 'ticket-43', '--json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ reason: 'error', exitCode: 2, error: { code: 'CONFIG_INVALID' } });
});

test('runs retry goes on with a run that failed, as another version if one is given, and with no other', async () => {
  verifies('cli.runs.retry');
  const { db, runs, work } = journal();
  const fails = work({ a: agentOf([{ error: new KernelError('PROVIDER_NETWORK', 'gone') }]) });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).status).toBe('failed');
  await fails.drain();
  const retried = await runs('retry', 'x', '--agent-version', '2');
  expect(retried).toMatchObject({ code: 0, stderr: 'queued: x, for a worker with version 2 of a\n' });
  expect(await db.status('x')).toMatchObject({ status: 'queued', version: '2' });
  work({ a: agentOf([{ text: 'Better.' }], '2') });
  expect((await db.result('x')).result?.answer).toBe('Better.');
  const over = await runs('retry', 'x');
  expect(over.code).toBe(1);
  expect(over.stderr).toContain('The run "x" is done: only one that failed');
});

test('runs events prints a line for each event, after a position if one is given, and as JSON with --json', async () => {
  verifies('cli.runs.events');
  const { runs } = await waitingRun(mail('c1', HOSTILE));
  const { code, stdout } = await runs('events', 'ticket-42');
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001B');
  expect(stdout).not.toContain('\u202E');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => line.trim().split(/ +/).slice(0, 2).join(' '))).toEqual([
    '1 turn-start',
    '2 message-end',
    '3 approval-request',
  ]);
  expect(lines[1]).toContain(String.raw`send_mail {"to":"\u001b[2J\u202eevil"} (c1)`);
  const json = (await runs('events', 'ticket-42', '--after', '1', '--json')).stdout.trimEnd().split('\n');
  const events = json.map((line) => JSON.parse(line) as { readonly seq: number; readonly event: { type: string } });
  expect(events.map(({ seq, event }) => [seq, event.type])).toEqual([
    [2, 'message-end'],
    [3, 'approval-request'],
  ]);
});

test('a journal that is absent is named and not created; what is something else is named and left as it is', async () => {
  verifies('cli.runs.journal');
  const cwd = workspace({ 'text.db': 'not a database, but long enough to be looked at\n', 'empty.db': '' });
  const foreign = join(cwd, 'foreign.db');
  const file = new DatabaseSync(foreign);
  // The same version and one of the tables of a journal, by chance.
  file.exec('CREATE TABLE runs (id TEXT); PRAGMA user_version = 1');
  file.close();
  chmodSync(foreign, 0o644);
  const before = readFileSync(foreign);
  for (const [name, said] of [
    ['none.db', 'There is no journal "'],
    ['.', 'There is no journal "'],
    ['text.db', 'cannot be read as a journal of runs: '],
    ['empty.db', 'is not a journal of runs.'],
    ['foreign.db', 'is not a journal of runs.'],
  ] as const) {
    const { code, stdout, stderr } = await promptHere(['runs', 'list', '--journal', name], { cwd });
    expect(stderr).toContain(said);
    expect(stderr).toContain(JSON.stringify(join(cwd, name)));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  }
  expect(existsSync(join(cwd, 'none.db'))).toBe(false);
  expect(readFileSync(foreign).equals(before)).toBe(true);
  expect(statSync(foreign).mode & 0o777).toBe(0o644);
  const absent = await promptHere(['runs', 'show', 'x'], { cwd, env: { XDG_STATE_HOME: join(cwd, 'state') } });
  expect(absent.stderr).toContain(join(cwd, 'state', 'prompt-agent', 'runs.db'));
});

test('a journal of a newer release is refused, with what to do', async () => {
  verifies('cli.runs.journal');
  const { path, runs } = await waitingRun(mail('c1'));
  const file = new DatabaseSync(path);
  file.exec('PRAGMA user_version = 99');
  file.close();
  const { code, stderr } = await runs('list');
  expect(code).toBe(2);
  expect(stderr).toContain('was written by a newer release');
});
