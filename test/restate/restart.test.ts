import type { RestateRuns } from '@kernel/restate';
import { run } from '@kernel/agent';
import type { DurableContext } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, modelOf, toolset } from './fixtures/agents.ts';
import { messages, useEngine } from './support.ts';

const engine = useEngine();

async function all<T>(events: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const event of events) found.push(event);
  return found;
}

/** What only reads: it is asked while the server is away, and answered when it is back. */
const reads: Readonly<Record<string, (runs: RestateRuns) => Promise<unknown>>> = {
  status: async (runs) => (await runs.status('over'))?.status,
  list: async (runs) => (await runs.list()).length,
  waiting: async (runs) => (await runs.waiting()).map(({ callId }) => callId),
  result: async (runs) => (await runs.result('over')).result?.answer,
  events: async (runs) => (await all(runs.events('over', { follow: false }))).length,
};

/** What changes something: it is sent once, fails while the server is away, and works when it is sent again. */
const writes: Readonly<Record<string, (runs: RestateRuns) => Promise<unknown>>> = {
  start: (runs) => runs.start('later', { messages }),
  steer: (runs) => runs.steer('waits', { role: 'user', content: 'Hurry' }),
  stop: (runs) => runs.stop('other'),
  decide: (runs) => runs.decide('waits', 'p1', { decision: 'allow' }),
  resolveOutcome: (runs) => runs.resolveOutcome('waits', 'none', 'tell'),
  cancel: (runs) => runs.cancel('other'),
};

test('while the server restarts, each verb that reads waits for it, and each that changes something fails at once and can be repeated', async () => {
  verifies('restate.restart');
  const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
  const runs = await engine.serve('restarts', {
    approve: () => ({ decision: 'later' }),
    run: (context: DurableContext) =>
      run({ provider, model: 'm', tools: toolset(context.runId, () => undefined), ...context }),
  });
  for (const id of ['over', 'waits', 'other']) await runs.start(id, { messages });
  await expect.poll(() => runs.waiting()).toHaveLength(3);
  await runs.decide('over', 'p1', { decision: 'allow' });
  expect((await runs.result('over')).status).toBe('done');
  const expected = await Promise.all(Object.values(reads).map((read) => read(runs)));

  await engine.server().kill();
  for (const [verb, write] of Object.entries(writes))
    await expect(write(runs), `verb ${verb}`).rejects.toMatchObject({ code: 'STORE_FAILED', retryable: true });
  const asked = Object.values(reads).map((read) => read(runs));
  await engine.server().start();
  expect(await Promise.all(asked)).toEqual(expected);
  for (const [verb, write] of Object.entries(writes)) await expect(write(runs), `verb ${verb}`).resolves.not.toThrow();
  expect(await runs.purge({ ids: ['over'] })).toBe(1);
  expect((await runs.result('waits')).status).toBe('done');
});
