import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createPeerWatch } from '../src/worker/leases.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

/** Leaves a journal as a process that was killed during a call leaves it. */
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

/** An agent whose only call waits for a gate of its own each time that it is entered, and says which time it is. */
function entersGates(gates: readonly ReturnType<typeof gate>[], entered: ReturnType<typeof gate>[]) {
  let times = 0;
  return agentOf(async (steps) => {
    const time = (times += 1);
    const late = step('tool:1', async () => (entered[time - 1]?.open(), await gates[time - 1]?.opened, { time }), {
      effect: 'read',
    });
    return (await steps.all([late]))[0] ?? null;
  });
}

test.each([
  ['another worker has', true],
  ['the same worker has again', false],
])('an attempt whose run %s writes nothing under its old lease', async (_, isOther) => {
  verifies('durable.fence');
  const path = journalPath();
  const db = journal(path);
  const [gates, entered] = [
    [gate(), gate()],
    [gate(), gate()],
  ];
  const run = entersGates(gates, entered);
  const at = worker(db, { agents: { a: { run } } });
  const other = isOther ? worker(journal(path), { agents: { a: { run, version: '2' } } }) : at;
  await db.start('x', { agent: 'a', messages });
  await entered[0]?.opened;
  const raw = new DatabaseSync(path);
  onTestFinished(() => {
    for (const each of gates) each.open();
    raw.close();
  });
  raw.exec(`UPDATE runs SET owner = NULL, status = 'queued', version = '${isOther ? 2 : 1}'`);
  await entered[1]?.opened;
  const lease = { status: 'running', owner: other.id, epoch: 2 };
  const read = (): unknown => raw.prepare('SELECT status, owner, epoch FROM runs').get();
  expect(read()).toEqual(lease);
  gates[0]?.open();
  await expect.poll(() => at.size).toBe(isOther ? 0 : 1);
  // Nothing of the old attempt was written.
  expect(raw.prepare('SELECT count(*) AS n FROM steps').get()).toEqual({ n: 0 });
  expect(read()).toEqual(lease);
  gates[1]?.open();
  expect((await db.result('x')).result?.answer).toBe('{"time":2}');
});

test('a worker is considered dead after a lease without a heartbeat, by a monotonic clock', () => {
  verifies('durable.beats');
  let now = 0;
  const watch = createPeerWatch(1000, () => now);
  /** When the peer counts as lost, checked every 250 ms. */
  const lostAt = (beatOf: (ms: number) => number, untilMs: number): number | undefined => {
    for (; now <= untilMs; now += 250)
      if (watch.lost(new Map([['peer', { beat: beatOf(now), isGone: false }]])).length > 0) return now;
    return undefined;
  };
  expect(lostAt((ms) => Math.floor(ms / 1000), 4000)).toBeUndefined();
  expect(lostAt(() => 5, 9000)).toBe(5250);
  // A watch that was held up itself starts counting anew.
  now += 60_000;
  const againMs = now;
  expect(lostAt(() => 5, now + 5000)).toBe(againMs + 1000);
});

test('the runs of a worker whose process has ended are taken over immediately, however long its lease is', async () => {
  verifies('durable.takeover');
  const path = journalPath();
  killedIn(path, 'read', true);
  const db = journal(path);
  const begunMs = performance.now();
  worker(db, { leaseMs: 3_600_000, agents: { a: { run: settles([]) } } });
  expect((await db.result('x')).status).toBe('done');
  expect(performance.now() - begunMs).toBeLessThan(3_600_000 / 4);
});

test('the result of a call with an effect that ends while its worker drains is kept', async () => {
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

test('drain releases runs, lets steps in flight end, and discards those it aborts', async () => {
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

test('the unknown outcome of a call waits for a resolution if the agent asks for it', async () => {
  verifies('durable.resolveOutcome');
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
    await db.resolveOutcome('x', '1', answer);
    // oxlint-disable-next-line no-await-in-loop
    expect((await db.result('x')).result?.answer).toBe(expected);
  }
});
