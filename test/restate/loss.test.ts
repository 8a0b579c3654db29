import { run } from '@kernel/agent';
import type { DurableContext, OutcomeResolution } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, modelOf, toolset } from './fixtures/agents.ts';
import { agentOf, step } from './fixtures/steps.ts';
import { gate, messages, useEngine } from './support.ts';

const engine = useEngine();
const model = 'm';

/** An agent whose first call hangs until its worker is gone. */
function hanging(name: 'pay' | 'look' | 'set', entered: string[]) {
  const hangs = gate();
  let isFirst = true;
  const provider = modelOf([{ calls: [call(name, 'c1')] }, { text: 'ok' }]);
  const agent = (context: DurableContext) => {
    const tools = toolset(context.runId, async (_, __, ___, key) => {
      entered.push(key);
      if (!isFirst) return;
      isFirst = false;
      hangs.open();
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
      entered.push('aborted');
    });
    return run({ provider, model, tools, ...context });
  };
  return { agent, hangs };
}

test('when a worker is gone, a payment in flight is unknown, and repeatable calls run again under the same key', async () => {
  verifies('restate.unknown');
  for (const name of ['pay', 'look', 'set'] as const) {
    const entered: string[] = [];
    const { agent, hangs } = hanging(name, entered);
    const port = await engine.serveAt(`lost_${name}`, { run: agent });
    const runs = engine.open(`lost_${name}`);
    await runs.start('x', { messages });
    await hangs.opened;
    await port.replace({ run: agent });
    const { status, result } = await runs.result('x');
    expect(status).toBe('done');
    expect(JSON.stringify(result?.messages).includes('OUTCOME_UNKNOWN')).toBe(name === 'pay');
    // The worker that lost the run aborts the call that it had in flight.
    await expect.poll(() => entered).toContain('aborted');
    const keys = entered.filter((key) => key !== 'aborted');
    expect(keys).toEqual(name === 'pay' ? ['x:c1'] : ['x:c1', 'x:c1']);
  }
});

test('a call whose outcome is unknown can wait for a resolution: run again, tell the model, or take a result', async () => {
  verifies('restate.resolveOutcome');
  const answers: readonly (readonly [OutcomeResolution, number, string])[] = [
    ['retry', 2, 'pay done'],
    ['tell', 1, 'OUTCOME_UNKNOWN'],
    [{ text: 'It was paid.' }, 1, 'It was paid.'],
  ];
  for (const [index, [answer, count, text]] of answers.entries()) {
    const entered: string[] = [];
    const { agent, hangs } = hanging('pay', entered);
    const port = await engine.serveAt(`asked_${index}`, { onUnknown: 'ask', run: agent });
    const runs = engine.open(`asked_${index}`);
    await runs.start('x', { messages });
    await hangs.opened;
    await port.replace({ onUnknown: 'ask', run: agent });
    await expect
      .poll(() => runs.waiting('x'))
      .toMatchObject([{ callId: 'c1', kind: 'unknown', call: { name: 'pay' } }]);
    expect(await runs.resolveOutcome('x', 'c1', answer)).toBe(true);
    expect(await runs.resolveOutcome('x', 'c1', 'tell')).toBe(false);
    const { status, result } = await runs.result('x');
    expect(status).toBe('done');
    expect(JSON.stringify(result?.messages)).toContain(text);
    expect(entered.filter((key) => key !== 'aborted')).toHaveLength(count);
  }
});

test('300 steps and a waiting call survive their worker and the server', async () => {
  verifies('restate.server');
  const ran: number[] = [];
  const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
  const agents = {
    long: {
      run: agentOf(async (steps) => {
        for (let index = 0; index < 300; index += 1)
          // oxlint-disable-next-line no-await-in-loop -- one step after the other
          await steps.all([step(`tool:${index}`, () => ({ count: ran.push(index) }))]);
        await steps.all([step('tool:last', () => hangsOnce())]);
        return 'ok';
      }),
    },
    waits: {
      approve: () => ({ decision: 'later' }) as const,
      run: (context: DurableContext) =>
        run({ provider, model, tools: toolset(context.runId, () => undefined), ...context }),
    },
  };
  const reached = gate();
  let isFirst = true;
  function hangsOnce(): Promise<string> | string {
    if (!isFirst) return 'done';
    isFirst = false;
    reached.open();
    return new Promise(() => undefined);
  }
  const long = await engine.serveAt('long', agents.long);
  const waits = await engine.serveAt('waits', agents.waits);
  await engine.open('long').start('x', { messages });
  await engine.open('waits').start('x', { messages });
  await reached.opened;
  await expect.poll(() => engine.open('waits').waiting('x')).toHaveLength(1);
  // A step whose connection breaks before its result is kept may run again; these are all kept.
  expect(new Set(ran).size).toBe(300);
  const kept = ran.length;
  await engine.server().kill();
  await Promise.all([long.replace(agents.long), waits.replace(agents.waits)]);
  await engine.server().start();
  expect(await engine.open('waits').waiting('x')).toMatchObject([{ callId: 'p1' }]);
  await engine.open('waits').decide('x', 'p1', { decision: 'allow' });
  expect((await engine.open('waits').result('x')).status).toBe('done');
  expect((await engine.open('long').result('x')).status).toBe('done');
  expect(ran).toHaveLength(kept);
});
