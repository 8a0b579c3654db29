import { DatabaseSync } from 'node:sqlite';
import type { AgentEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Durable, openDurable } from '../src/index.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

const ok = agentOf(async (steps) => (await steps.all([step('model:1', () => ({ ok: true }))]))[0] ?? null);
const totals = { type: 'run-end', turns: 1, messages: [], usage: { inputTokens: 0, outputTokens: 0 } } as const;

/** Calls with what the types forbid. */
function forbidden(db: Durable): Readonly<Record<string, (value: never) => unknown>> {
  return {
    start: (value) => db.start('x', value),
    id: (value) => db.start(value, { agent: 'a', messages }),
    input: (input) => db.start('x', { agent: 'a', messages, input }),
    at: (at) => db.start('x', { agent: 'a', messages, at }),
    list: (value) => db.list(value),
    result: (value) => db.result('known', value),
    events: (value) => db.events('known', value).next(),
    retry: (value) => db.retry('known', value),
    purge: (value) => db.purge(value),
    steer: (value) => db.steer('known', value),
    after: (value) => db.steer('known', 'x', value),
    call: (value) => db.decide('known', value, { decision: 'allow' }),
    decide: (value) => db.decide('known', 'c', value),
    resolveOutcome: (value) => db.resolveOutcome('known', 'c', value),
    status: (value) => db.status(value),
    work: async (value) => db.work(value),
    agent: async (value) => db.work({ agents: { a: value } }),
  };
}

const circle: { self?: unknown } = {};
circle.self = circle;
const HOSTILE: readonly (readonly [verb: string, value: unknown, says: string])[] = [
  ['start', undefined, 'must be an object'],
  ['start', { agent: 'a', messages, dedline: new Date() }, 'no option "dedline"'],
  ['start', { agent: 'a', messages, version: 3 }, 'version must be a text'],
  ['start', { agent: 'a', messages: [null] }, 'without an array of messages'],
  ['id', undefined, '1 to 500 characters'],
  ['id', 'x'.repeat(1_000_000), '1 to 500 characters'],
  ['id', 'half \ud800', '1 to 500 characters'],
  ['input', () => 1, 'not JSON: "input" is a function'],
  ['input', { deep: [Number.NaN] }, 'not JSON'],
  ['input', 1n, 'not JSON'],
  ['input', circle, 'not JSON'],
  ['at', 5, 'invalid date as at'],
  ['at', new Date(Number.NaN), 'invalid date as at'],
  ['list', { status: 'dne' }, 'status must be one of'],
  ['list', { limit: Number.NaN }, 'limit must be a number'],
  ['events', { after: Number.NaN }, 'after must be a number'],
  ['retry', { version: 2 }, 'version must be a text'],
  ['purge', { olderThanMs: 1 }, 'no option "olderThanMs"'],
  ['purge', { before: 5 }, 'invalid date as before'],
  ['purge', { ids: 'known' }, 'ids must be an array'],
  ['steer', null, 'without a message'],
  ['steer', { role: 'assistant', content: [] }, 'without a message'],
  ['after', { after: 'anser' }, 'after must be one of'],
  ['call', undefined, 'without the id of a call'],
  ['decide', { decision: 'later' }, 'without a valid decision'],
  ['decide', { decision: 'allow', digest: 5 }, 'without a valid decision'],
  ['resolveOutcome', 'rety', 'without an answer'],
  ['resolveOutcome', { text: 5 }, 'without an answer'],
  ['status', {}, '1 to 500 characters'],
  ['work', { agents: [{ run: ok }] }, 'without agents'],
  ['agent', { run: ok, version: 3 }, 'version must be a text'],
  ['agent', { run: ok, accepts: '12' }, 'accepts must be an array'],
  ['agent', { run: ok, approve: 'later' }, 'approve must be a function'],
  ['agent', { run: ok, onUnknown: 'sak' }, 'onUnknown must be one of'],
];

test('what means nothing is refused with what to write instead, and changes nothing', async () => {
  verifies('durable.options');
  const db = journal();
  const [at, verbs] = [worker(db, { agents: { a: { run: ok } } }), forbidden(db)];
  await db.start('known', { agent: 'a', messages });
  await db.result('known');
  await at.drain();
  for (const [verb, value, says] of HOSTILE)
    await expect(
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid
      (async () => verbs[verb]?.(value as never))(),
      `${verb}: ${says}`,
    ).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(says) as string });
  expect((await db.list()).map(({ id }) => id)).toEqual(['known']);
});

test('what a caller changes after start() does not count', async () => {
  verifies('durable.options');
  const db = journal();
  const message = { role: 'user' as const, content: 'before' };
  const started = db.start('x', { agent: 'a', messages: [message] });
  message.content = 'after';
  await started;
  expect((await db.input('x'))?.messages).toEqual([{ role: 'user', content: 'before' }]);
});

test('a closed journal rejects every verb and what still waits; closing it twice is no error, and with a worker it is one', async () => {
  verifies('durable.closed');
  const db = openDurable(journalPath());
  await db.start('x', { agent: 'b', messages });
  const at = db.work({ agents: { a: { run: ok } } });
  expect(() => db.close()).toThrow('at work');
  await at.drain();
  const waiting = [db.result('x'), db.events('x').next(), db.start('y', { agent: 'b', messages })];
  const before = Promise.allSettled(waiting);
  db.close();
  db.close();
  const first = await before;
  const reads = [db.status('x'), db.input('x'), db.list(), db.waiting(), db.result('x'), db.events('x').next()];
  const writes = [
    db.start('z', { agent: 'b', messages }),
    db.cancel('x'),
    db.stop('x'),
    db.steer('x', 'x'),
    db.purge(),
  ];
  const settled = [...first, ...(await Promise.allSettled([...reads, ...writes]))];
  const closed = { code: 'STORE_FAILED', message: 'The journal is closed.' };
  for (const each of settled) expect(each).toMatchObject({ status: 'rejected', reason: closed });
  expect(() => db.work({ agents: { a: { run: ok } } })).toThrow('The journal is closed.');
});

test('an agent that goes on after a cancel or a drain is left to itself, and begins no further step', async () => {
  verifies('durable.unresponsive');
  const db = journal();
  const [began, goOn] = [gate(), gate()];
  let entered = 0;
  const stubborn = agentOf(async (steps) => {
    began.open();
    await goOn.opened;
    return (await steps.all([step('tool:1', () => (entered += 1), { effect: 'write' })]))[0] ?? null;
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const at = worker(db, { agents: { a: { run: stubborn } } });
  await db.start('cancelled', { agent: 'a', messages });
  await began.opened;
  await db.cancel('cancelled');
  const ended = db.result('cancelled');
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(1), 60_000);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await ended).toMatchObject({ status: 'cancelled', result: { reason: 'aborted' } });
  await db.start('drained', { agent: 'a', messages });
  await vi.waitFor(() => expect(at.size).toBe(1), 60_000);
  const drained = at.drain(0);
  await vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), 60_000);
  await vi.advanceTimersByTimeAsync(1);
  await vi.advanceTimersByTimeAsync(5000);
  await drained;
  expect((await db.status('drained'))?.status).toBe('queued');
  goOn.open();
  await new Promise(setImmediate);
  expect(entered).toBe(0);
});

test('a drain without a limit lets the step in flight end', async () => {
  verifies('durable.drain');
  const db = journal();
  const [began, goOn] = [gate(), gate()];
  const slow = agentOf(async (steps) => {
    const work = async () => {
      began.open();
      await goOn.opened;
      return 1;
    };
    return (await steps.all([step('tool:1', work)]))[0] ?? null;
  });
  const at = worker(db, { agents: { a: { run: slow } } });
  await db.start('x', { agent: 'a', messages });
  await began.opened;
  const drained = at.drain(Number.POSITIVE_INFINITY);
  await new Promise((resolve) => setTimeout(resolve, 20));
  goOn.open();
  await drained;
  expect((await db.status('x'))?.status).toBe('done');
  await expect(at.drain(Number.NaN)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});

test('a run whose end JSON cannot hold, or whose journal is damaged, fails alone', async () => {
  verifies('durable.damaged');
  const path = journalPath();
  const db = journal(path);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid
  const end = { ...totals, reason: 'done', output: circle } as unknown as AgentEvent;
  async function* endless(): AsyncGenerator<AgentEvent> {
    yield end;
  }
  await db.start('damaged', { agent: 'a', messages });
  await db.start('endless', { agent: 'endless', messages });
  await db.start('sound', { agent: 'a', messages });
  const raw = new DatabaseSync(path);
  raw.exec("INSERT INTO inbox (run_id, queue, message) VALUES ('damaged', 'steer', '{')");
  raw.exec(`INSERT INTO runs (id, agent, version, format, input, status, result, created_at, updated_at)
    VALUES ('ended', 'a', '1', 1, '{}', 'done', '{', 9000000000000000, 0)`);
  raw.exec("INSERT INTO waits (run_id, call_id, kind, call, since) VALUES ('ended', 'c', 'approval', '5', 0)");
  raw.exec("INSERT INTO events (run_id, seq, key, step, at, event) VALUES ('ended', 1, '', '', 0, 'null')");
  raw.exec("INSERT INTO workers (id, info) VALUES ('foreign', '{')");
  raw.close();
  const errors: unknown[] = [];
  worker(db, { agents: { a: { run: ok }, endless: { run: endless } }, onError: (error) => errors.push(error) });
  const ended = await Promise.all(['damaged', 'endless', 'sound'].map((id) => db.result(id)));
  expect(ended.map(({ status }) => status)).toEqual(['failed', 'failed', 'done']);
  expect(ended[0]?.result?.error).toMatchObject({ code: 'STORE_FAILED' });
  expect(errors).toEqual([]);
  const listed = (await db.list()).find(({ id }) => id === 'ended');
  expect(listed?.result?.error).toMatchObject({ message: 'The journal does not say how the run ended.' });
  expect(listed?.createdAt.toISOString()).toBe('+275760-09-13T00:00:00.000Z');
  expect(await db.waiting('ended')).toMatchObject([{ callId: 'c', call: { name: '', arguments: '' } }]);
  await expect(db.events('ended').next()).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(await db.purge({ ids: ['ended'] })).toBe(1);
});

test('a run whose deadline has passed before a worker came is cancelled, and nothing of it runs', async () => {
  verifies('durable.cancel');
  const db = journal();
  await db.start('x', { agent: 'a', messages, deadline: new Date(Date.now() - 1) });
  let ran = 0;
  const run = agentOf(async () => (ran += 1));
  worker(db, { agents: { a: { run } } });
  expect((await db.result('x')).status).toBe('cancelled');
  expect(ran).toBe(0);
});

test('limits without an end are none', async () => {
  verifies('durable.options');
  const db = journal();
  worker(db, { agents: { a: { run: ok } }, maxRuns: Number.POSITIVE_INFINITY, leaseMs: Number.POSITIVE_INFINITY });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).status).toBe('done');
  expect(await db.list({ limit: Number.POSITIVE_INFINITY })).toHaveLength(1);
});
