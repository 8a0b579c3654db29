import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { openDurable } from '../src/index.ts';
import { createPeerWatch } from '../src/worker/leases.ts';
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
  const at = (ms: number, beat: number): readonly string[] => {
    now = ms;
    return watch.lost(new Map([['peer', { beat, isGone: false }]]));
  };
  expect([at(0, 1), at(999, 1), at(1000, 2), at(1999, 2), at(2000, 2)]).toEqual([[], [], [], [], ['peer']]);
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
