import { chmodSync, existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { openDurable } from '../src/index.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

const ok = agentOf(async (steps) => (await steps.all([step('model:1', () => ({ ok: true }))]))[0] ?? null);

test('a run that is started is run once, whoever starts it again', async () => {
  verifies('durable.start');
  const db = journal();
  let count = 0;
  const run = agentOf(async (steps) => (await steps.all([step('tool:1', () => ({ count: (count += 1) }))]))[0] ?? null);
  worker(db, { agents: { a: { run } } });
  expect(await db.start('x', { agent: 'a', messages })).toBe(true);
  expect(await db.start('x', { agent: 'a', messages })).toBe(false);
  expect(await db.result('x')).toMatchObject({ status: 'done', result: { reason: 'done', answer: '{"count":1}' } });
  expect(await db.start('x', { agent: 'a', messages })).toBe(false);
  await expect(db.start('x', { agent: 'a', messages, input: 2 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(count).toBe(1);
});

test('a run waits for its time, and for a worker that knows its agent and its version', async () => {
  verifies('durable.versions');
  const db = journal();
  await db.start('late', { agent: 'a', messages, at: new Date(Date.now() + 3_600_000) });
  await db.start('old', { agent: 'a', version: '1', messages });
  await db.start('older', { agent: 'a', version: '0', messages });
  await db.start('other', { agent: 'b', messages });
  await db.start('new', { agent: 'a', version: '2', messages });
  worker(db, { agents: { a: { version: '2', accepts: ['1'], run: ok } } });
  await Promise.all(['old', 'new'].map((id) => db.result(id)));
  const left = await db.list({ status: 'queued' });
  expect(left.map(({ id }) => id).toSorted()).toEqual(['late', 'older', 'other']);
  await db.retry('older', { version: '2' });
  expect(await db.result('older')).toMatchObject({ status: 'done', version: '2' });
});

test('the file and what lies beside it can be read by its owner only', async () => {
  verifies('durable.private');
  const path = journalPath();
  const db = journal(path);
  await db.start('x', { agent: 'a', messages });
  for (const each of ['', '-wal', '-shm']) expect((statSync(`${path}${each}`).mode & 0o777).toString(8)).toBe('600');
});

test('a journal in memory leaves no file', async () => {
  verifies('durable.private');
  const db = openDurable(':memory:');
  expect(await db.start('x', { agent: 'a', messages })).toBe(true);
  db.close();
  expect(existsSync(':memory:')).toBe(false);
});

test('purge deletes runs that are over, every byte of them, and nothing else', async () => {
  verifies('durable.purge');
  const path = journalPath();
  const db = journal(path);
  worker(db, { agents: { a: { run: ok } } });
  const secret = [{ role: 'user', content: 'PASSPHRASE' }] as const;
  await db.start('over', { agent: 'a', messages: secret });
  await db.start('open', { agent: 'b', messages });
  await db.result('over');
  expect(await db.purge({ before: new Date(0) })).toBe(0);
  expect(await db.purge()).toBe(1);
  expect((await db.list()).map(({ id }) => id)).toEqual(['open']);
  const raw = new DatabaseSync(path);
  for (const table of ['steps', 'events', 'waits', 'signals', 'inbox'])
    expect(raw.prepare(`SELECT count(*) AS n FROM ${table}`).get()).toEqual({ n: 0 });
  raw.close();
});

test('a file of another program, of a newer release or in no folder is STORE_FAILED and says so', () => {
  verifies('durable.files');
  const path = journalPath();
  const foreign = new DatabaseSync(path);
  foreign.exec('CREATE TABLE mine (a)');
  chmodSync(path, 0o644);
  expect(() => openDurable(path)).toThrow(
    expect.objectContaining({ code: 'STORE_FAILED', message: expect.stringContaining('another program') as string }),
  );
  expect((statSync(path).mode & 0o777).toString(8)).toBe('644');
  expect(foreign.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
  foreign.exec('PRAGMA user_version = 99');
  foreign.close();
  expect(() => openDurable(path)).toThrow('newer release');
  expect(() => openDurable('/nowhere/at/all.db')).toThrow(expect.objectContaining({ code: 'STORE_FAILED' }));
});

test('a step that fails, a loop that throws and one that ends without run-end are failed runs with their error', async () => {
  verifies('durable.failures');
  const db = journal();
  const agents = {
    throws: {
      run: () => {
        throw new KernelError('PROVIDER_HTTP', 'no');
      },
    },
    rejects: {
      run: agentOf(
        async (steps) => (await steps.all([step('model:1', () => Promise.reject(new Error('broken')))]))[0] ?? null,
      ),
    },
    silent: {
      // oxlint-disable-next-line require-yield -- it ends without an event
      run: async function* none() {
        await Promise.resolve();
      },
    },
  };
  worker(db, { agents });
  for (const agent of Object.keys(agents)) await db.start(agent, { agent, messages });
  const errors = await Promise.all(Object.keys(agents).map(async (id) => (await db.result(id)).result?.error));
  expect(errors.map((error) => KernelError.fromJSON(error).message)).toEqual([
    'no',
    'broken',
    'The run ended without run-end.',
  ]);
});

test('all steps of a batch settle before one that failed ends the run, and retry() repeats only that one', async () => {
  verifies('durable.batches');
  const db = journal();
  const runs: string[] = [];
  let fails = true;
  const run = agentOf(async (steps) => {
    const slow = gate();
    const batch = [
      step('tool:1', () => {
        runs.push('1');
        queueMicrotask(slow.open);
        if (fails) throw new Error('first');
        return {};
      }),
      step('tool:2', async () => {
        await slow.opened;
        await new Promise(setImmediate);
        runs.push('2');
        return {};
      }),
    ];
    return [...(await steps.all(batch))];
  });
  worker(db, { agents: { a: { run } } });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).status).toBe('failed');
  fails = false;
  await db.retry('x');
  expect((await db.result('x')).status).toBe('done');
  expect(runs).toEqual(['1', '2', '1']);
  const types: string[] = [];
  for await (const { event } of db.events('x')) types.push(event.type);
  expect(types).toEqual(['run-end']);
});

test('a run whose step inputs differ from its journal is blocked, and none of its steps run', async () => {
  verifies('durable.blocked');
  const db = journal();
  let [prompt, ran] = ['a', 0];
  let fails = true;
  const run = agentOf(async (steps) => {
    await steps.all([{ ...step('model:1', () => ({ n: (ran += 1) })), input: { prompt } }]);
    if (fails) throw new Error('later');
    return (await steps.all([step('tool:1', () => ({ n: (ran += 1) }))]))[0] ?? null;
  });
  worker(db, { agents: { a: { run } } });
  await db.start('x', { agent: 'a', messages });
  await db.result('x');
  [fails, prompt] = [false, 'b'];
  await db.retry('x');
  await expect.poll(async () => (await db.status('x'))?.status).toBe('blocked');
  expect(await db.status('x')).toMatchObject({
    result: { error: { message: expect.stringContaining('model:1') as string } },
  });
  prompt = 'a';
  await db.retry('x');
  expect((await db.result('x')).status).toBe('done');
  expect(ran).toBe(2);
});

test('a result that is too long becomes an error that the model reads; its journal stays small', async () => {
  verifies('durable.limits');
  const db = journal();
  const run = agentOf(
    async (steps) => (await steps.all([step('tool:1', () => ({ result: { forLLM: 'x'.repeat(10_000) } }))]))[0] ?? null,
  );
  worker(db, { agents: { a: { run, maxResultBytes: 5000 } } });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).result?.answer).toContain('LIMIT_REACHED');
});

test('events are read in order, and after the position where a reader left', async () => {
  verifies('durable.events');
  const db = journal();
  const run = agentOf(async (steps, { runId }) => {
    const call = { type: 'tool-call', id: '1', name: runId, arguments: '{}' } as const;
    const emits = step('tool:1', (scope) => {
      scope?.onEvent?.({ type: 'text-delta', text: 'not kept' });
      scope?.onEvent?.({ type: 'tool-start', call });
      scope?.onEvent?.({ type: 'tool-end', call, result: { forLLM: 'x' }, durationMs: 1 });
      return {};
    });
    return (await steps.all([emits]))[0] ?? null;
  });
  const reading = (async () => {
    await db.start('x', { agent: 'a', messages });
    const seen: unknown[] = [];
    for await (const { seq, step: id, event } of db.events('x')) seen.push([seq, id, event.type]);
    return seen;
  })();
  worker(db, { agents: { a: { run } } });
  const all = [
    [1, 'tool:1', 'tool-start'],
    [2, 'tool:1', 'tool-end'],
    [3, '', 'run-end'],
  ];
  expect(await reading).toEqual(all);
  const rest: unknown[] = [];
  for await (const { seq } of db.events('x', { after: 1 })) rest.push(seq);
  expect(rest).toEqual([2, 3]);
});
