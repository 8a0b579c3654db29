import { type MockBehavior, mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { collect, createMemorySession, createSteering, loadHistory, run, runSession } from '../../src/index.ts';
import { expectSound, readAll, user } from '../support.ts';

const Paid = z.object({ paid: z.boolean() });
const final = (paid: boolean) => ({ name: 'final_answer', arguments: JSON.stringify({ paid }) });
const pay = { name: 'pay', arguments: {} };
const options = { model: 'm', messages: [user('Pay the bill.')], output: Paid };

function payWith(effect: 'read' | 'external', behavior: MockBehavior) {
  const mock = mockTool('pay', behavior);
  return mockToolset([{ ...mock, tool: { ...mock.tool, effect } }]);
}
const failing = payWith('read', { forLLM: 'declined', isError: true });

describe('an answer beside calls stands only if they succeeded, and else the model reads their results and answers again:', () => {
  test.each<[string, object]>([
    [
      'a person denies the call',
      { tools: payWith('external', 'paid'), approve: () => ({ decision: 'deny', reason: 'no' }) },
    ],
    ['the call fails', { tools: failing }],
    ['the toolset throws', { tools: payWith('read', { throws: new Error('no money') }) }],
    ['the tool is unknown', { tools: mockToolset([mockTool('other', 'x')]) }],
    ['it goes on in the background', { tools: payWith('read', { forLLM: 'later', async: true }) }],
  ])('%s', async (_what, given) => {
    verifies('output.beside');
    const provider = scriptedProvider([{ calls: [pay, pay, pay, final(true)] }, { calls: [final(false)] }]);
    const events = await readAll(run({ provider, ...options, ...given }));
    const end = events.at(-1);
    expect(end).toMatchObject({ reason: 'done', output: { paid: false }, turns: 2 });
    if (end?.type === 'run-end') expectSound(end.messages);
    expect(events.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
    const [second] = provider.streamRequests.slice(1);
    expect(second?.messages.at(-1)?.content).toContain('beside calls that did not succeed or have not ended: "pay"');
  });

  test('whichever of them comes first, and however often', async () => {
    verifies('output.beside');
    const script = [true, true, true].map((paid) => ({ calls: [final(paid), pay] }));
    const provider = scriptedProvider([...script, { calls: [final(false)] }]);
    expect(await collect(run({ provider, ...options, tools: failing }))).toMatchObject({
      output: { paid: false },
      turns: 4,
    });
  });

  test('in a session, whose history is the same', async () => {
    verifies('output.beside');
    const session = createMemorySession();
    const provider = scriptedProvider([{ calls: [pay, final(true)] }, { calls: [final(false)] }]);
    const result = await collect(runSession({ session, provider, ...options, tools: failing }));
    expect(result).toMatchObject({ output: { paid: false } });
    expect(await loadHistory(session)).toEqual(result.messages);
  });

  test('after a run that waited for the decision', async () => {
    verifies('output.beside');
    const tools = payWith('external', 'paid');
    const first = await collect(
      run({
        ...options,
        provider: scriptedProvider([{ calls: [pay, final(true)] }]),
        tools,
        approve: () => ({ decision: 'later' }),
      }),
    );
    expect(first.reason).toBe('approval');
    const provider = scriptedProvider([{ calls: [final(false)] }]);
    const approve = () => ({ decision: 'deny', reason: 'no' }) as const;
    const second = await collect(run({ ...options, messages: first.messages, provider, tools, approve }));
    expect(second).toMatchObject({ reason: 'done', output: { paid: false } });
  });

  test.each<[string, ScriptStep]>([
    ['a text in the format of the answer', { text: '{"paid":true}', calls: [pay] }],
    ['a text that stopped by its length', { text: '{"paid":true}', calls: [pay], finishReason: 'length' }],
    ['the answer of a reply that stopped by its length', { calls: [pay, final(true)], finishReason: 'length' }],
  ])('%s', async (_what, step) => {
    verifies('output.beside');
    const provider = scriptedProvider([step], { structuredOutput: 'schema' });
    const result = await collect(run({ provider, ...options, tools: failing, limits: { turns: 1 } }));
    expect(result).not.toHaveProperty('output');
  });

  test('over the limit of calls, in the last turn', async () => {
    verifies('output.beside');
    const provider = scriptedProvider([{ calls: [pay, pay, final(true)] }, { text: '{"paid":false}' }]);
    const limits = { callsPerTool: 1, onLimit: 'answer' } as const;
    const result = await collect(run({ provider, ...options, tools: payWith('read', 'paid'), limits }));
    expect(result).toMatchObject({ reason: 'limit', output: { paid: false } });
  });

  test('in a closing turn, which runs no calls', async () => {
    verifies('output.beside');
    const provider = scriptedProvider([{ calls: [pay] }, { calls: [pay, final(true)] }, { text: '{"paid":false}' }]);
    const limits = { turns: 1, onLimit: 'answer' } as const;
    const result = await collect(run({ provider, ...options, tools: failing, limits }));
    expect(result).toMatchObject({ reason: 'limit', output: { paid: false } });
  });
});

test('a message that comes in with the answer of a call is answered before the run ends', async () => {
  verifies('output.beside');
  const steering = createSteering();
  steering.followUp('And the tip?');
  const provider = scriptedProvider([{ calls: [final(true)] }, { calls: [final(false)] }]);
  expect(await collect(run({ provider, ...options, steering }))).toMatchObject({ output: { paid: false }, turns: 2 });
});
