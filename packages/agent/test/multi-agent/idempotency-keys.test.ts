import type { JsonObject, Tool } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { agentAsTool, collect, run, type RunOptions } from '../../src/index.ts';
import { user } from '../support.ts';

/** Runs one call whose handler runs agents one after another, each with one call of `pay`, all with the id `call_0`. */
async function keysOf(...inputs: readonly JsonObject[]): Promise<readonly (string | undefined)[]> {
  const pay = mockToolset([mockTool('pay', 'paid', { effect: 'idempotent' })]);
  const list: readonly Tool[] = Object.freeze([mockTool('o', 'x').tool]);
  const tools = toToolset({
    list: () => list,
    async call(call, context) {
      for (const [at, input] of inputs.entries()) {
        const provider = scriptedProvider([
          { calls: [{ id: 'call_0', name: 'pay', arguments: input }] },
          { text: 'ok' },
        ]);
        const inner = { provider, model: 'm', tools: pay };
        const agent = agentAsTool({ name: 'helper', description: '', run: inner });
        const toolContext = { ...context, callId: call.id, toolName: call.name };
        // oxlint-disable-next-line no-await-in-loop
        if (at % 2 === 0) await agent.handler({ task: 'x' }, toolContext);
        // oxlint-disable-next-line no-await-in-loop
        else await collect(run({ ...inner, messages: [user('Go')], runId: context.idempotencyKey }));
      }
      return { forLLM: 'ok' };
    },
  });
  const provider = scriptedProvider([{ calls: [{ id: 'o', name: 'o' }] }, { text: 'ok' }]);
  await collect(run({ provider, model: 'm', messages: [user('Go')], tools, runId: 'S' }));
  return pay.contexts.map(({ idempotencyKey }) => idempotencyKey);
}

test('two agents within one call have keys of their own, the same at every attempt', async () => {
  verifies('agent.session.idempotencyKey');
  const first = await keysOf({ to: 'a' }, { to: 'a' }, { to: 'a' });
  expect(new Set(first).size).toBe(3);
  expect(await keysOf({ to: 'a' }, { to: 'a' }, { to: 'a' })).toEqual(first);
  expect(first[0]).toMatch(/^S:o:call_0:[0-9a-f]{16}$/);
});

test('a repeated agent that asks for something else under the same id has another key', async () => {
  verifies('agent.session.idempotencyKey');
  const [once] = await keysOf({ to: 'a', amount: 1 });
  expect(await keysOf({ amount: 1, to: 'a' })).toEqual([once]);
  expect(await keysOf({ to: 'b', amount: 1 })).not.toEqual([once]);
});

test.each(['', 7, null])('the runId %j is refused', (runId) => {
  verifies('agent.session.idempotencyKey');
  const options = { provider: scriptedProvider([]), model: 'm', messages: [], runId } as unknown as RunOptions;
  expect(() => run(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
