import type { Decision } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { allow, bank, digestOf, FOREIGN_IDS, FOREIGN_RUNS, messages, pay } from '../durable/fixtures/bank.ts';
import { useEngine } from './support.ts';

const engine = useEngine();
const no: Decision = { decision: 'deny', reason: 'no' };
const ONE = [{ calls: [pay('c1', 1)] }, { text: 'Done.' }];

test('no decision for another call, another run or another digest lets a call run', async () => {
  verifies('restate.approvals');
  const { agent, paid } = bank(ONE);
  const runs = await engine.serve('forged', agent);
  const forgeries: ((id: string) => Promise<unknown>)[] = [
    ...FOREIGN_IDS.map((callId) => (id: string) => runs.decide(id, callId, allow)),
    ...FOREIGN_RUNS.map((run) => () => runs.decide(run, 'c1', allow)),
    ...['', '0', 'f'.repeat(64), '__proto__'].map(
      (digest) => (id: string) => runs.decide(id, 'c1', { decision: 'allow', digest }),
    ),
  ];
  await Promise.all(
    forgeries.map(async (forge, index) => {
      const id = `run-${index}`;
      await runs.start(id, { messages });
      await expect.poll(() => runs.waiting(id), { timeout: 30_000 }).toHaveLength(1);
      await forge(id).catch(() => undefined);
      await expect.poll(() => runs.waiting(id), { timeout: 30_000 }).toMatchObject([{ callId: 'c1' }]);
      expect(await runs.decide(id, 'c1', no)).toBe(true);
      expect((await runs.result(id)).status).toBe('done');
    }),
  );
  expect(paid).toEqual([]);
});

test('of decisions that race one counts, and none that is repeated later', async () => {
  verifies('restate.approvals');
  const { agent, paid } = bank(ONE);
  const runs = await engine.serve('raced', agent);
  for (let round = 0; round < 4; round += 1) {
    const id = `run-${round}`;
    await runs.start(id, { messages });
    await expect.poll(() => runs.waiting(id), { timeout: 30_000 }).toHaveLength(1);
    const decisions = Array.from({ length: 6 }, (_, index) => ((round >> (index % 2)) & 1 ? allow : no));
    const counts = await Promise.all(decisions.map((each) => runs.decide(id, 'c1', each)));
    expect(counts.filter(Boolean)).toHaveLength(1);
    await runs.result(id);
    const isPaid = decisions[counts.indexOf(true)] === allow;
    expect(paid.splice(0)).toEqual(isPaid ? [1] : []);
    for (const decision of decisions) expect(await runs.decide(id, 'c1', decision)).toBe(false);
  }
});

test('a tool that changes while its call waits is asked about again', async () => {
  verifies('restate.approvals');
  const { agent, paid, changeTool } = bank(ONE);
  const runs = await engine.serve('changed', agent, { inactivityTimeoutMs: 100 });
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x'), { timeout: 30_000 }).toHaveLength(1);
  const [shown] = await runs.waiting('x');
  // The agent begins anew, with the tool as it is then.
  await expect.poll(() => engine.isSuspended('changed', 'x'), { timeout: 30_000 }).toBe(true);
  changeTool();
  expect(await runs.decide('x', 'c1', allow)).toBe(true);
  await expect
    .poll(async () => (await runs.waiting('x')).map(digestOf), { timeout: 30_000 })
    .not.toEqual([shown && digestOf(shown)]);
  await expect.poll(() => runs.waiting('x'), { timeout: 30_000 }).toHaveLength(1);
  expect(paid).toEqual([]);
  expect(await runs.decide('x', 'c1', allow)).toBe(true);
  expect((await runs.result('x')).status).toBe('done');
  expect(paid).toEqual([1]);
});

test('a model cannot take the decision on a call of a sub-agent for one of its own', async () => {
  verifies('restate.approvals');
  const helper = { id: 'h', name: 'helper', arguments: '{"task":"pay 1"}' };
  const { agent, paid } = bank([{ calls: [helper] }, { calls: [pay('h/c1', 1000)] }, { text: 'Done.' }], ONE);
  const runs = await engine.serve('nested', agent);
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x'), { timeout: 30_000 }).toMatchObject([{ callId: 'h/c1' }]);
  expect(await runs.decide('x', 'h/c1', allow)).toBe(true);
  await expect.poll(() => paid, { timeout: 30_000 }).toEqual([1]);
  await expect
    .poll(() => runs.waiting('x'), { timeout: 30_000 })
    .toMatchObject([{ callId: expect.stringMatching(/^call_\d+$/) as string }]);
  expect(paid).toEqual([1]);
});
