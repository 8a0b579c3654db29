import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Durable, type DurableAgent, openDurable } from '@kernel/durable';
import type { Decision, WaitingCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allow, bank, digestOf, FOREIGN_IDS, FOREIGN_RUNS, messages, pay } from './fixtures/bank.ts';

function journal(): { readonly db: Durable; readonly other: Durable } {
  const folder = mkdtempSync(join(tmpdir(), 'forged-'));
  const [db, other] = [openDurable(join(folder, 'runs.db')), openDurable(join(folder, 'runs.db'))];
  onTestFinished(() => {
    db.close();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { db, other };
}

function work(db: Durable, agent: DurableAgent): ReturnType<Durable['work']> {
  const worker = db.work({ agents: { bank: agent } });
  onTestFinished(() => worker.drain(0));
  return worker;
}

const waitingFor = async (db: Durable, id: string, count: number): Promise<readonly WaitingCall[]> => {
  await expect.poll(() => db.waiting(id), { timeout: 20_000 }).toHaveLength(count);
  return db.waiting(id);
};

describe('a decision that is not about a call as it waits never lets it run', () => {
  test.each(FOREIGN_IDS)('one for the call %j', async (callId) => {
    verifies('durable.approvals');
    const { db } = journal();
    const { agent, paid } = bank([{ calls: [pay('c1', 1)] }, { text: 'Done.' }]);
    const worker = work(db, agent);
    await db.start('x', { agent: 'bank', messages });
    const [waiting] = await waitingFor(db, 'x', 1);
    for (const decision of [allow, { decision: 'edit', arguments: '{"amount":1000}' } as const])
      await db.decide('x', callId, decision).catch(() => false);
    await worker.drain();
    expect(await db.waiting('x')).toEqual([waiting]);
    expect(paid).toEqual([]);
  });

  test.each(FOREIGN_RUNS)('one for the run %j', async (id) => {
    verifies('durable.approvals');
    const { db, other } = journal();
    const { agent, paid } = bank([{ calls: [pay('c1', 1)] }, { text: 'Done.' }]);
    work(db, agent);
    await db.start('x', { agent: 'bank', messages });
    await waitingFor(db, 'x', 1);
    await other.decide(id, 'c1', allow).catch(() => false);
    await other.decide('x', 'c2', allow);
    await waitingFor(db, 'x', 1);
    expect(paid).toEqual([]);
  });

  test.each(['', '0', 'f'.repeat(64), ' ', '__proto__', 'upper', 'of another call', 'of another run'])(
    'one with the digest %j',
    async (kind) => {
      verifies('durable.approvals');
      const { db } = journal();
      const { agent, paid } = bank([{ calls: [pay('c1', 1), pay('c2', 2)] }, { text: 'Done.' }]);
      work(db, agent);
      for (const id of ['x', 'y']) await db.start(id, { agent: 'bank', messages });
      const [first, second] = await waitingFor(db, 'x', 2);
      const [, foreign] = await waitingFor(db, 'y', 2);
      if (first === undefined || second === undefined || foreign === undefined) throw new Error('nothing waits');
      const given = new Map([
        ['upper', digestOf(first).toUpperCase()],
        ['of another call', digestOf(second)],
        ['of another run', digestOf(foreign)],
      ]);
      await db.decide('x', 'c1', { decision: 'allow', digest: given.get(kind) ?? kind });
      await db.decide('x', 'c2', allow);
      // The call is asked about again; nothing of its batch has run.
      expect(await waitingFor(db, 'x', 1)).toMatchObject([{ callId: 'c1' }]);
      expect(paid).toEqual([]);
      expect(await db.decide('x', 'c1', { decision: 'allow', digest: digestOf(first) })).toBe(true);
      expect((await db.result('x')).status).toBe('done');
      expect(paid).toEqual([1, 2]);
    },
  );
});

test('of decisions that race from two processes one counts, for every order of yes and no', async () => {
  verifies('durable.approvals');
  for (let round = 0; round < 8; round += 1) {
    const { db, other } = journal();
    const { agent, paid } = bank([{ calls: [pay('c1', 1)] }, { text: 'Done.' }]);
    work(db, agent);
    await db.start('x', { agent: 'bank', messages });
    await waitingFor(db, 'x', 1);
    const decisions = Array.from({ length: 10 }, (_, index): Decision =>
      ((round >> (index % 3)) & 1) === 1 ? allow : { decision: 'deny', reason: 'no' },
    );
    const counts = await Promise.all(
      decisions.map((each, index) => (index % 2 === 0 ? db : other).decide('x', 'c1', each)),
    );
    expect(counts.filter(Boolean)).toHaveLength(1);
    await db.result('x');
    expect(paid).toEqual(decisions[counts.indexOf(true)]?.decision === 'allow' ? [1] : []);
    for (const decision of decisions) expect(await other.decide('x', 'c1', decision)).toBe(false);
    expect(paid.length).toBeLessThan(2);
  }
});

test.each(['before it is approved', 'after it is approved'])(
  'a tool that changes %s is asked about again: the decision was about the one before',
  async (when) => {
    verifies('durable.approvals');
    const { db } = journal();
    const { agent, paid, changeTool } = bank([{ calls: [pay('c1', 1)] }, { text: 'Done.' }]);
    const worker = work(db, agent);
    await db.start('x', { agent: 'bank', messages });
    const [shown] = await waitingFor(db, 'x', 1);
    await worker.drain();
    if (when === 'before it is approved') changeTool();
    expect(await db.decide('x', 'c1', allow)).toBe(true);
    changeTool();
    work(db, agent);
    const [again] = await waitingFor(db, 'x', 1);
    expect(again && digestOf(again)).not.toBe(shown && digestOf(shown));
    expect(paid).toEqual([]);
    expect(await db.decide('x', 'c1', allow)).toBe(true);
    expect((await db.result('x')).status).toBe('done');
    expect(paid).toEqual([1]);
  },
);

test.each<[string, object]>([
  ['an edit', { decision: 'edit', arguments: '{"amount":2}' }],
  ['an edit whose digest is undefined', { decision: 'edit', arguments: '{"amount":2}', digest: undefined }],
  ['an edit whose digest is no text', { decision: 'edit', arguments: '{"amount":2}', digest: 5 }],
  ['an allow whose digest is undefined', { decision: 'allow', digest: undefined }],
])('%s that was made of a call does not run with the tool that has taken its place', async (_what, decision) => {
  verifies('durable.approvals');
  const { db } = journal();
  const { agent, paid, changeTool } = bank([{ calls: [pay('c1', 1)] }, { text: 'Done.' }]);
  const worker = work(db, agent);
  await db.start('x', { agent: 'bank', messages });
  await waitingFor(db, 'x', 1);
  await worker.drain();
  await db.decide('x', 'c1', decision as Decision);
  changeTool();
  work(db, agent);
  await waitingFor(db, 'x', 1);
  expect(paid).toEqual([]);
});

test.each(['h/c1', 'h#c1', 'h c1', 'unknown c1', 'h/model:1', ''])(
  'a model cannot name its call %j, and so take the decision on a call of a sub-agent',
  async (forged) => {
    verifies('durable.approvals', 'agent.loop.message.ids');
    const { db } = journal();
    const inner = [{ calls: [pay('c1', 1)] }, { text: 'Paid.' }];
    const helper = { id: 'h', name: 'helper', arguments: '{"task":"pay 1"}' };
    const { agent, paid } = bank([{ calls: [helper] }, { calls: [pay(forged, 1000)] }, { text: 'Done.' }], inner);
    work(db, agent);
    await db.start('x', { agent: 'bank', messages });
    expect(await waitingFor(db, 'x', 1)).toMatchObject([{ callId: 'h/c1' }]);
    if (forged !== '') await db.decide('x', forged, allow);
    await db.decide('x', 'h/c1', allow);
    await expect.poll(() => paid, { timeout: 20_000 }).toEqual([1]);
    const [waiting] = await waitingFor(db, 'x', 1);
    expect(waiting?.callId).toMatch(/^call_\d+$/);
    expect(paid).toEqual([1]);
  },
);
