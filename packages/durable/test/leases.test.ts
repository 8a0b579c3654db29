import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { openDurable } from '../src/index.ts';
import { createPeerWatch } from '../src/worker/leases.ts';
import { hasEnded, ownIdentity } from '../src/worker/process-identity.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

/** Leaves a journal as a process leaves it that was killed while its run was in a call. */
function killedIn(path: string, effect: 'read' | 'external', hasBegun: boolean): void {
  const script = join(import.meta.dirname, 'fixtures/dies.ts');
  const args = ['--conditions=@kernel/source', script, path, effect, hasBegun ? 'in' : 'before'];
  expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL');
}

const settles = (entered: string[]) =>
  agentOf(async (steps) => {
    const again = step('tool:1', () => (entered.push('again'), { again: true }), {
      effect: 'external',
      unknown: () => ({ unknown: true }),
    });
    return (await steps.all([again]))[0] ?? null;
  });

test.each([
  ['an unsafe call that had begun is told as unknown and not entered again', 'external', true, '{"unknown":true}', 0],
  ['an unsafe call that had only waited runs', 'external', false, '{"again":true}', 1],
  ['a call that only reads runs again', 'read', true, '{"again":true}', 1],
] as const)('%s after the death of its worker', async (_, effect, hasBegun, answer, count) => {
  verifies('durable.takeover');
  const path = journalPath();
  killedIn(path, effect, hasBegun);
  const entered: string[] = [];
  const db = journal(path);
  worker(db, { leaseMs: 200, agents: { a: { run: settles(entered) } } });
  expect((await db.result('x')).result?.answer).toBe(answer);
  expect(entered).toHaveLength(count);
});

test('a worker that was frozen and wakes writes nothing under its old lease', async () => {
  verifies('durable.fence');
  const path = journalPath();
  const db = openDurable(path);
  const inHandler = gate();
  const wakes = gate();
  const slow = agentOf(async (steps) => {
    const late = step('tool:1', async () => (inHandler.open(), await wakes.opened, { from: 'the old one' }), {
      effect: 'read',
    });
    return (await steps.all([late]))[0] ?? null;
  });
  const at = db.work({ agents: { a: { run: slow } } });
  await db.start('x', { agent: 'a', messages });
  await inHandler.opened;
  const raw = new DatabaseSync(path);
  raw.exec("UPDATE runs SET owner = NULL, status = 'queued', epoch = epoch + 1");
  const other = journal(path);
  const second = gate();
  const fast = agentOf(
    async (steps) =>
      (
        await steps.all([step('tool:1', async () => (second.open(), { from: 'the new one' }), { effect: 'read' })])
      )[0] ?? null,
  );
  worker(other, { agents: { a: { run: fast } } });
  // Whichever of the two took it up again: the old attempt's epoch is over.
  wakes.open();
  const { result } = await other.result('x');
  expect(['{"from":"the new one"}', '{"from":"the old one"}']).toContain(result?.answer);
  const row = raw.prepare("SELECT epoch FROM runs WHERE id = 'x'").get();
  expect(row).toEqual({ epoch: 3 });
  expect(raw.prepare("SELECT count(*) AS n FROM steps WHERE run_id = 'x'").get()).toEqual({ n: 1 });
  raw.close();
  await at.drain(0);
  db.close();
});

test('a worker is taken for dead after a lease without a beat, by a clock that nobody sets', () => {
  verifies('durable.beats');
  let now = 0;
  const watch = createPeerWatch(1000, () => now);
  /** When the peer is taken for lost, looked at every 250 ms. */
  const lostAt = (beatOf: (ms: number) => number, untilMs: number): number | undefined => {
    for (; now <= untilMs; now += 250)
      if (watch.lost(new Map([['peer', { beat: beatOf(now), isGone: false }]])).length > 0) return now;
    return undefined;
  };
  expect(lostAt((ms) => Math.floor(ms / 1000), 4000)).toBeUndefined();
  expect(lostAt(() => 5, 9000)).toBe(5250);
  // Who was held up itself counts again from when it looks.
  now += 60_000;
  const againMs = now;
  expect(lostAt(() => 5, now + 5000)).toBe(againMs + 1000);
});

test('a worker whose process has ended is taken over from at once, however long its lease is', async () => {
  verifies('durable.takeover');
  const path = journalPath();
  killedIn(path, 'read', true);
  const db = journal(path);
  const begunMs = performance.now();
  worker(db, { leaseMs: 3_600_000, agents: { a: { run: settles([]) } } });
  expect((await db.result('x')).status).toBe('done');
  expect(performance.now() - begunMs).toBeLessThan(3_600_000 / 4);
});

test('only a process of this machine can be told to have ended, and one with the same id later is another', () => {
  verifies('durable.takeover');
  const own = ownIdentity();
  const { pid: dead } = spawnSync(process.execPath, ['--version']);
  expect(hasEnded(own)).toBe(false);
  expect(hasEnded({ ...own, pid: dead })).toBe(true);
  expect(hasEnded({ ...own, start: '1' })).toBe(own.start !== undefined);
  for (const other of [{ ...own, pid: dead, machine: 'another' }, { pid: dead }, undefined, 'x'])
    expect(hasEnded(other)).toBe(false);
});

test('what a call with an effect returns while its worker drains is kept', async () => {
  verifies('durable.drain');
  const db = journal();
  const [begun, release] = [gate(), gate()];
  let entered = 0;
  const run = agentOf(async (steps) => {
    const pay = step(
      'tool:1',
      async (scope) => {
        await scope?.beforeHandler?.();
        entered += 1;
        begun.open();
        await release.opened;
        return { paid: true };
      },
      { effect: 'external', unknown: () => ({ unknown: true }) },
    );
    const [paid = null] = await steps.all([pay]);
    return [paid, ...(await steps.all([step('model:2', () => 'after')]))];
  });
  const at = db.work({ agents: { a: { run } } });
  await db.start('x', { agent: 'a', messages });
  await begun.opened;
  const drained = at.drain();
  release.open();
  await drained;
  expect((await db.status('x'))?.status).toBe('queued');
  worker(db, { agents: { a: { run } } });
  expect((await db.result('x')).result?.answer).toBe('[{"paid":true},"after"]');
  expect(entered).toBe(1);
});

test('drain gives runs back, lets steps in flight end, and keeps nothing of those it aborts', async () => {
  verifies('durable.drain');
  const db = journal();
  const begun = gate();
  const release = gate();
  let entered = 0;
  const run = agentOf(async (steps) => {
    const first = step('tool:1', async () => (begun.open(), await release.opened, { first: true }));
    await steps.all([first]);
    return (await steps.all([step('tool:2', () => ({ n: (entered += 1) }))]))[0] ?? null;
  });
  const at = db.work({ agents: { a: { run } } });
  await db.start('x', { agent: 'a', messages });
  await begun.opened;
  const drained = at.drain();
  release.open();
  await drained;
  expect([(await db.status('x'))?.status, entered]).toEqual(['queued', 0]);
  worker(db, { agents: { a: { run } } });
  expect((await db.result('x')).result?.answer).toBe('{"n":1}');
});

test('the unknown outcome of a call waits for somebody where the agent says so', async () => {
  verifies('durable.resolveUnknown');
  for (const [answer, expected] of [
    ['retry', '{"again":true}'],
    ['tell', '{"unknown":true}'],
    [{ text: 'it was paid' }, '{"result":{"forLLM":"it was paid"}}'],
  ] as const) {
    const path = journalPath();
    killedIn(path, 'external', true);
    const db = journal(path);
    worker(db, { leaseMs: 200, agents: { a: { run: settles([]), onUnknown: 'ask' } } });
    // oxlint-disable-next-line no-await-in-loop
    await expect.poll(() => db.waiting()).toMatchObject([{ kind: 'unknown', callId: '1' }]);
    // oxlint-disable-next-line no-await-in-loop
    await db.resolveUnknown('x', '1', answer);
    // oxlint-disable-next-line no-await-in-loop
    expect((await db.result('x')).result?.answer).toBe(expected);
  }
});
