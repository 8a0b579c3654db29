import type { JsonValue, StepExecutor } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { openDurable, type DurableContext } from '../src/index.ts';
import { asking, asks, later } from './asking.ts';
import { agentOf, step } from './steps.ts';
import { gate, journal, journalPath, messages, worker } from './support.ts';

test('a call waits for a decision from any process, and holds nothing in memory meanwhile', async () => {
  verifies('durable.approvals');
  const path = journalPath();
  const db = journal(path);
  const at = worker(db, { agents: { a: { run: asks, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(async () => (await db.status('x'))?.status).toBe('waiting');
  await expect.poll(() => at.size).toBe(0);
  expect(await db.waiting()).toMatchObject([{ runId: 'x', callId: 'c', kind: 'approval', call: { name: 'pay' } }]);
  const other = openDurable(path);
  expect(await other.decide('x', 'c', { decision: 'deny', reason: 'no' })).toBe(true);
  expect(await other.decide('x', 'c', { decision: 'allow' })).toBe(false);
  other.close();
  expect((await db.result('x')).result?.answer).toBe('{"decision":"deny","reason":"no"}');
  expect(await db.waiting()).toEqual([]);
  expect(await db.decide('x', 'c', { decision: 'allow' })).toBe(false);
});

test('a decision that comes before its question counts', async () => {
  verifies('durable.approvals');
  const db = journal();
  await db.start('x', { agent: 'a', messages });
  await db.decide('x', 'c', { decision: 'allow' });
  worker(db, { agents: { a: { run: asks, approve: later } } });
  expect((await db.result('x')).result?.answer).toBe('{"decision":"allow"}');
});

test('an answered call no longer waits, even if no worker has read the answer', async () => {
  verifies('durable.approvals');
  const db = journal();
  const at = worker(db, { agents: { a: { run: asks, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => db.waiting('x')).toHaveLength(1);
  await at.drain();
  await db.resolveOutcome('x', 'c', 'tell');
  expect(await db.waiting()).toHaveLength(1);
  await db.decide('x', 'c', { decision: 'allow' });
  expect(await db.waiting()).toEqual([]);
});

test('a call that nobody decides on in time is denied', async () => {
  verifies('durable.approvals');
  const db = journal();
  worker(db, { leaseMs: 200, agents: { a: { run: asks, approve: later, approvalTimeoutMs: 1 } } });
  await db.start('x', { agent: 'a', messages });
  expect((await db.result('x')).result?.answer).toContain('no decision came in time');
});

test('what finished beside a call that waits is kept', async () => {
  verifies('durable.parking');
  const db = journal();
  let count = 0;
  const run = agentOf(async (steps, context) => {
    const batch = [asking(context, 'c', 'tool:h/', ['h']), step('tool:1', () => ({ n: (count += 1) }))];
    return [...(await steps.all(batch))];
  });
  worker(db, { agents: { a: { run, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => db.waiting('x')).toMatchObject([{ callId: 'h/c' }]);
  await db.decide('x', 'h/c', { decision: 'allow' });
  expect((await db.result('x')).result?.answer).toBe('[{"decision":"allow"},{"n":1}]');
  expect(count).toBe(1);
});

test('a call whose agent waits is not over: it is entered again, and its inner steps are not repeated', async () => {
  verifies('durable.parking');
  const db = journal();
  const ran: string[] = [];
  const run = agentOf(async (steps, context) => {
    const outer = step(
      'tool:h',
      async () => {
        ran.push('outer');
        await steps.all([step('tool:h/model:1', () => (ran.push('inner'), {}))]);
        // What a loop makes of an executor that throws.
        const [answer = null] = await steps.all([asking(context, 'c', 'tool:h/', ['h'])]).catch(() => ['failed']);
        return { answer };
      },
      { hasInnerSteps: true, effect: 'external' },
    );
    return (await steps.all([outer]))[0] ?? null;
  });
  worker(db, { agents: { a: { run, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => db.waiting('x')).toHaveLength(1);
  await db.decide('x', 'h/c', { decision: 'allow' });
  expect((await db.result('x')).result?.answer).toBe('{"answer":{"decision":"allow"}}');
  expect(ran).toEqual(['outer', 'inner', 'outer']);
});

test('an agent beside one that waits is entered again if a step of it was held up', async () => {
  verifies('durable.parking');
  const db = journal();
  const waits = gate();
  const agent = (steps: StepExecutor, id: string, inner: () => Promise<readonly JsonValue[]>) =>
    step(`tool:${id}`, async () => ({ [id]: [...(await inner().catch(() => ['failed']))] }), { hasInnerSteps: true });
  const run = agentOf(async (steps, context) => {
    const one = agent(steps, 'a', () => steps.all([asking(context, 'c', 'tool:a/', ['a'])]).finally(waits.open));
    const two = agent(steps, 'b', async () => {
      await waits.opened;
      return steps.all([step('tool:b/model:1', () => 'answered')]);
    });
    return [...(await steps.all([one, two]))];
  });
  worker(db, { agents: { a: { run, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await expect.poll(() => db.waiting('x')).toHaveLength(1);
  await db.decide('x', 'a/c', { decision: 'allow' });
  expect((await db.result('x')).result?.answer).toBe('[{"a":[{"decision":"allow"}]},{"b":["answered"]}]');
});

test('cancel aborts what is in flight, ends what waits or is queued at once, and comes once', async () => {
  verifies('durable.cancel');
  const db = journal();
  const begun = gate();
  const run = agentOf(async (steps, { signal }) => {
    const hangs = step('tool:1', () => {
      begun.open();
      return new Promise<JsonValue>((resolve) => signal.addEventListener('abort', () => resolve({ stopped: true })));
    });
    return (await steps.all([hangs]))[0] ?? null;
  });
  await db.start('queued', { agent: 'none', messages });
  expect(await db.cancel('queued')).toBe(true);
  expect((await db.result('queued')).status).toBe('cancelled');
  worker(db, { agents: { a: { run }, b: { run: asks, approve: later } } });
  await db.start('x', { agent: 'a', messages });
  await begun.opened;
  expect(await db.cancel('x')).toBe(true);
  expect(await db.result('x')).toMatchObject({ status: 'cancelled', result: { reason: 'aborted' } });
  expect(await db.cancel('x')).toBe(false);
  await db.start('y', { agent: 'b', messages });
  await expect.poll(() => db.waiting('y')).toHaveLength(1);
  await db.cancel('y');
  expect([(await db.result('y')).status, await db.waiting()]).toEqual(['cancelled', []]);
});

test('a run that is not over by its deadline is cancelled', async () => {
  verifies('durable.cancel');
  const db = journal();
  worker(db, { leaseMs: 200, agents: { a: { run: asks, approve: later } } });
  await db.start('x', { agent: 'a', messages, deadline: new Date(Date.now() + 300) });
  expect((await db.result('x')).status).toBe('cancelled');
});

test('messages and stops reach a run from outside, and a message is taken once even if its step is repeated', async () => {
  verifies('durable.inbox');
  const db = journal();
  const taken: unknown[] = [];
  let fails = true;
  const read = (steps: StepExecutor, { steering }: DurableContext, id: string) =>
    steps.all([
      step(id, () => {
        const received = steering.take('steer').map(({ content }) => content);
        taken.push(received);
        if (id === 'model:1' && fails) throw new Error('the vendor is down');
        return { received: JSON.parse(JSON.stringify(received)) as JsonValue, isStopping: steering.pending.isStopping };
      }),
    ]);
  const run = agentOf(async (steps, context) => [
    ...(await read(steps, context, 'model:1')),
    ...(await read(steps, context, 'model:2')),
  ]);
  await db.start('x', { agent: 'a', messages });
  await db.steer('x', 'hello');
  await db.stop('x');
  worker(db, { agents: { a: { run } } });
  await expect.poll(async () => (await db.status('x'))?.status).toBe('failed');
  expect(taken).toEqual([['hello']]);
  await expect(db.steer('x', 'too late')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  fails = false;
  await db.retry('x');
  // What the failed step had taken is back.
  expect((await db.result('x')).result?.answer).toContain('"isStopping":true');
  expect(taken).toEqual([['hello'], ['hello'], []]);
});

test('errors say what is wrong: an unknown run, an invalid decision', async () => {
  verifies('durable.verbs');
  const db = journal();
  await expect(db.cancel('none')).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: 'There is no run "none".' });
  await expect(db.result('none')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await expect(db.decide('none', 'c', { decision: 'maybe' } as never)).rejects.toThrow('without a valid decision');
  await expect(db.start('', { agent: 'a', messages })).rejects.toThrow('1 to 500 characters');
});
