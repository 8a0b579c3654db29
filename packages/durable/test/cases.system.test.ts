import type { JsonValue } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { DatabaseSync } from 'node:sqlite';
import type { DurableContext } from '../src/index.ts';
import { asking, asks, later } from './asking.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

const DAY = 86_400_000;

/** Offsets the wall clock of this process, by this many milliseconds. */
function clockOff(): { by: number } {
  const off = { by: 0 };
  const now = Date.now.bind(Date);
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + off.by);
  onTestFinished(() => spy.mockRestore());
  return off;
}

test('case 3: a decision and messages that come before their run is started are kept for it, in their order', async () => {
  verifies('durable.early');
  const path = journalPath();
  const db = journal(path);
  expect(await db.decide('x', 'c', { decision: 'deny', reason: 'too dear' })).toBe(true);
  expect(await db.decide('x', 'c', { decision: 'allow' })).toBe(false);
  await db.steer('x', 'one');
  await db.steer('x', 'two');
  await db.steer('other', 'not for x');
  const run = agentOf(async (steps, context) => {
    const [decision = null] = await steps.all([asking(context)]);
    const read = step('model:1', () => context.steering.take('steer').map(({ content }) => content) as JsonValue);
    return [decision, ...(await steps.all([read]))];
  });
  worker(db, { agents: { a: { run, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).result?.answer).toBe('[{"decision":"deny","reason":"too dear"},["one","two"]]');
  const raw = new DatabaseSync(path);
  expect(raw.prepare('SELECT run_id FROM early').all()).toEqual([{ run_id: 'other' }]);
  raw.close();
});

test('case 3: what waits for runs that are never started is bounded, and purge deletes it', async () => {
  verifies('durable.early');
  const path = journalPath();
  const db = journal(path);
  const off = clockOff();
  const raw = new DatabaseSync(path);
  const count = (): unknown => raw.prepare('SELECT count(*) AS n FROM early').get()?.['n'];
  onTestFinished(() => raw.close());
  await Promise.all(Array.from({ length: 10_000 }, (_, index) => db.steer(`r${index}`, 'x')));
  await expect(db.steer('more', 'x')).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  await expect(db.decide('more', 'c', { decision: 'allow' })).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  await expect(db.cancel('more')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await db.purge();
  expect(count()).toBe(10_000);
  await db.purge({ ids: ['r1', 'r2'] });
  expect(count()).toBe(9998);
  off.by = DAY + 1000;
  await db.purge();
  expect(count()).toBe(0);
});

test('case 6: a clock that jumps an hour takes no run from a worker that lives, and no run ends twice', async () => {
  verifies('durable.cases.6');
  const path = journalPath();
  const [db, other] = [journal(path), journal(path)];
  const off = clockOff();
  const [begun, release] = [gate(), gate()];
  let entered = 0;
  const run = agentOf(async (steps) => {
    const slow = step('tool:1', async () => ((entered += 1), begun.open(), await release.opened, { ok: true }), {
      effect: 'read',
    });
    return (await steps.all([slow]))[0] ?? null;
  });
  worker(db, { agents: { a: { run } }, leaseMs: 100 });
  await db.start('x', { agent: 'a', messages });
  await begun.opened;
  // Its peer looks at it more often than a lease is long, under clocks that are an hour ahead and behind.
  worker(other, { agents: { a: { run } }, leaseMs: 100 });
  const raw = new DatabaseSync(path);
  onTestFinished(() => raw.close());
  const beatsOf = (): number => Number(raw.prepare('SELECT min(beat) AS n FROM workers').get()?.['n']);
  for (const by of [3_600_000, -3_600_000, 0]) {
    off.by = by;
    const before = beatsOf();
    await expect.poll(beatsOf).toBeGreaterThan(before + 5);
  }
  release.open();
  expect(await db.result('x')).toMatchObject({ status: 'done', crashes: 0, result: { answer: '{"ok":true}' } });
  expect(entered).toBe(1);
  expect(raw.prepare('SELECT epoch FROM runs').get()).toEqual({ epoch: 1 });
});

test('case 11: a cancel in the model, and one that races the end, leave one final status', async () => {
  verifies('durable.cases.11');
  const db = journal();
  const asked = gate();
  const replies = agentOf(async (steps, { signal }) => {
    const model = step('model:1', async () => {
      asked.open();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw signal.reason;
    });
    return (await steps.all([model]))[0] ?? null;
  });
  const ok = agentOf(async (steps) => (await steps.all([step('model:1', () => ({ ok: true }))]))[0] ?? null);
  worker(db, { agents: { model: { run: replies }, ok: { run: ok } } });
  await db.start('x', { agent: 'model', messages });
  await asked.opened;
  await db.cancel('x');
  expect((await db.result('x')).status).toBe('cancelled');
  for (let ticks = 0; ticks < 30; ticks += 1) {
    const id = `race-${ticks}`;
    await db.start(id, { agent: 'ok', messages });
    for (let count = 0; count < ticks; count += 1) await new Promise(setImmediate);
    const isCancelled = await db.cancel(id);
    const { status } = await db.result(id);
    // If cancel resolved to true, the run is cancelled.
    expect([isCancelled, status]).toEqual([isCancelled, isCancelled ? 'cancelled' : 'done']);
    expect(await db.cancel(id)).toBe(false);
    expect((await db.status(id))?.status).toBe(status);
  }
});

test('case 12: a call waits for seven days, and is denied then; a decision before that wins, one after it is late', async () => {
  verifies('durable.cases.12');
  const db = journal();
  const off = clockOff();
  const at = worker(db, { leaseMs: 100, agents: { a: { run: asks, approve: later, approvalTimeoutMs: 7 * DAY } } });
  for (const id of ['x', 'y']) await db.start(id, { agent: 'a', messages });
  await expect.poll(() => db.waiting()).toHaveLength(2);
  expect(at.size).toBe(0);
  off.by = 7 * DAY - 60_000;
  expect(await db.decide('x', 'c', { decision: 'allow' })).toBe(true);
  off.by = 7 * DAY + 60_000;
  expect((await db.result('x')).result?.answer).toBe('{"decision":"allow"}');
  expect((await db.result('y')).result?.answer).toContain('no decision came in time');
  expect(await db.decide('y', 'c', { decision: 'allow' })).toBe(false);
});

test('case 12: a decision that races its time-out counts if it was told so, and else the call is denied', async () => {
  verifies('durable.cases.12');
  const db = journal();
  worker(db, { leaseMs: 100, agents: { a: { run: asks, approve: later, approvalTimeoutMs: 40 } } });
  const ids = Array.from({ length: 40 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => db.start(id, { agent: 'a', messages })));
  const decided = await Promise.all(
    ids.map(async (id, index) => {
      await new Promise((resolve) => setTimeout(resolve, index * 4));
      return db.decide(id, 'c', { decision: 'allow' });
    }),
  );
  const answers = await Promise.all(ids.map(async (id) => (await db.result(id)).result?.answer));
  expect(answers.map((answer) => answer === '{"decision":"allow"}')).toEqual(decided);
  expect(decided).toContain(true);
  expect(answers.filter((answer) => answer?.includes('in time') === true)).toHaveLength(
    decided.filter((each) => !each).length,
  );
});

test('case 12: three hundred calls wait at once, hold no run in memory, and each gets its own decision', async () => {
  verifies('durable.cases.12');
  const db = journal();
  const at = worker(db, { agents: { a: { run: asks, approve: later } } });
  const ids = Array.from({ length: 300 }, (_, index) => `r${index}`);
  await Promise.all(ids.map((id) => db.start(id, { agent: 'a', messages })));
  await expect.poll(async () => (await db.waiting()).length).toBe(300);
  await expect.poll(() => at.size).toBe(0);
  const isAllowed = (id: string): boolean => Number(id.slice(1)) % 3 === 0;
  await Promise.all(
    ids.map((id) => db.decide(id, 'c', isAllowed(id) ? { decision: 'allow' } : { decision: 'deny', reason: id })),
  );
  for (const id of ids)
    expect((await db.result(id)).result?.answer).toBe(
      isAllowed(id) ? '{"decision":"allow"}' : JSON.stringify({ decision: 'deny', reason: id }),
    );
});

test('retry takes a run that failed or is blocked, with a version one that waits, and no other', async () => {
  verifies('durable.retry');
  const db = journal();
  const at = worker(db, { agents: { a: { run: asks, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => db.waiting('x')).toHaveLength(1);
  await expect(db.retry('x')).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('is waiting') as string,
  });
  await db.retry('x', { version: '2' });
  expect(await db.status('x')).toMatchObject({ status: 'waiting', version: '2' });
  await db.retry('x', { version: '1' });
  await db.decide('x', 'c', { decision: 'allow' });
  await db.result('x');
  await at.drain();
  for (const id of ['x', 'none']) await expect(db.retry(id)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect((await db.status('x'))?.status).toBe('done');
});

test('what a run was started with can be read', async () => {
  verifies('durable.start');
  const db = journal();
  await db.start('x', { agent: 'a', messages, input: { order: 7 } });
  expect(await db.input('x')).toEqual({ messages, input: { order: 7 } });
  expect(await db.input('none')).toBeUndefined();
});

test('the question about a call that waits is among the events, once', async () => {
  verifies('durable.events');
  const db = journal();
  const run = agentOf(async (steps, context: DurableContext) => {
    const { run: ask, ...rest } = asking(context);
    const request = { type: 'tool-call', id: 'c', name: 'pay', arguments: '{}' } as const;
    const emits = step(rest.id, (scope) => {
      scope?.onEvent?.({
        type: 'approval-request',
        call: request,
        tool: { name: 'pay', description: '', parameters: {} },
      });
      return ask(scope);
    });
    return (await steps.all([emits]))[0] ?? null;
  });
  worker(db, { agents: { a: { run, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  const types: string[] = [];
  for await (const { event } of db.events('x')) {
    types.push(event.type);
    if (event.type === 'approval-request') await db.decide('x', 'c', { decision: 'allow' });
  }
  expect(types).toEqual(['approval-request', 'run-end']);
});
