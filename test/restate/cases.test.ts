import { run } from '@kernel/agent';
import type { DurableAgent, DurableContext } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { call, modelOf, toolset } from './fixtures/agents.ts';
import { gate, messages, useEngine } from './support.ts';

const engine = useEngine();
const model = 'm';

/** An agent with one call, whose handler does what a test says. */
function agentWith(
  name: 'look' | 'pay',
  handle: (key: string) => void | Promise<void>,
  rest: Partial<DurableAgent> = {},
): DurableAgent {
  const provider = modelOf([{ calls: [call(name, 'c1')] }, { text: 'ok' }]);
  return {
    ...rest,
    run: (context: DurableContext) =>
      run({ provider, model, tools: toolset(context.runId, (_, __, ___, key) => handle(key)), ...context }),
  };
}

test('a run whose worker is lost at every attempt is blocked after maxAttempts of them, and goes on when it is retried', async () => {
  verifies('restate.maxAttempts');
  let [isLost, entered] = [true, 0];
  const lost = { cut: (): void => undefined };
  const agent = agentWith(
    'look',
    () => {
      entered += 1;
      if (isLost) lost.cut();
    },
    { maxAttempts: 3 },
  );
  Object.assign(lost, await engine.serveAt('attempts', agent));
  const runs = engine.open('attempts');
  await runs.start('x', { messages });
  await expect.poll(async () => (await runs.status('x'))?.status).toBe('blocked');
  expect(entered).toBe(3);
  isLost = false;
  await runs.retry('x');
  expect(await runs.result('x')).toMatchObject({ status: 'done', result: { answer: 'ok' } });
  expect(entered).toBe(4);
});

test.each([3_600_000, -3_600_000])(
  'case 6: a clock that jumps by %d ms changes no outcome, enters no call twice and loses no decision',
  async (jumpMs) => {
    verifies('restate.cases.6');
    const now = Date.now;
    onTestFinished(() => void (Date.now = now));
    const [begun, release] = [gate(), gate()];
    const keys: string[] = [];
    const name = jumpMs > 0 ? 'ahead' : 'behind';
    const agent = agentWith(
      'pay',
      async (key) => {
        keys.push(key);
        begun.open();
        await release.opened;
      },
      { approve: () => ({ decision: 'later' }) },
    );
    const runs = await engine.serve(name, agent);
    await runs.start('x', { messages });
    await expect.poll(() => runs.waiting('x')).toHaveLength(1);
    Date.now = () => now() + jumpMs;
    await runs.decide('x', 'c1', { decision: 'allow' });
    await begun.opened;
    Date.now = now;
    release.open();
    expect(await runs.result('x')).toMatchObject({ status: 'done', result: { answer: 'ok' } });
    expect(keys).toEqual(['x:c1']);
  },
);

test('case 14: a server that dies under a payment, and under a run that waits, loses neither, and the payment is not entered again', async () => {
  verifies('restate.cases.14');
  const begun = gate();
  const keys: string[] = [];
  const paying = agentWith('pay', (key) => {
    keys.push(key);
    begun.open();
    return keys.length === 1 ? new Promise<void>(() => undefined) : undefined;
  });
  const waiting = agentWith('pay', () => undefined, { approve: () => ({ decision: 'later' }) });
  const payments = await engine.serve('pays', paying);
  const waits = await engine.serve('waits14', waiting);
  await payments.start('x', { messages });
  await waits.start('y', { messages });
  await begun.opened;
  await expect.poll(() => waits.waiting('y')).toHaveLength(1);
  await engine.server().kill();
  await engine.server().start();
  expect(await waits.decide('y', 'c1', { decision: 'allow' })).toBe(true);
  expect((await waits.result('y')).status).toBe('done');
  const { status, result } = await payments.result('x');
  expect(status).toBe('done');
  expect(JSON.stringify(result?.messages)).toContain('OUTCOME_UNKNOWN');
  expect(keys).toEqual(['x:c1']);
});
