import { type AgentEvent, type Approve, type Message, textOf } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, createSteering, run } from '../../src/index.ts';
import { endOf, expectSound, readAll, user } from '../support.ts';

const model = 'm';

test('a message steered in during a turn skips the calls not yet started and stands in the next request', async () => {
  verifies('agent.loop.steer');
  const steering = createSteering();
  const tools = mockToolset([
    mockTool('first', () => {
      steering.steer('Stop, use the other file.');
      return 'one';
    }),
    mockTool('second', 'two'),
  ]);
  const provider = scriptedProvider([
    { calls: ['first', 'second', 'second'].map((name) => ({ name })) },
    { text: 'ok' },
  ]);
  const result = await collect(
    run({ provider, model, messages: [user('Go')], tools, steering, limits: { parallel: 1 } }),
  );
  expect(tools.calls.map(({ name }) => name)).toEqual(['first']);
  expectSound(result.messages);
  const sent = provider.streamRequests[1]?.messages ?? [];
  expect(sent.slice(-3).map(textOf)).toEqual([
    expect.stringContaining('TOOL_SKIPPED'),
    expect.stringContaining('a message from the user came first'),
    'Stop, use the other file.',
  ]);
  expect(result.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'tool',
    'user',
    'assistant',
  ]);
});

test('a message that came in while a call waited for a decision does not skip the call, and stands in the next request', async () => {
  verifies('agent.loop.steer.decided');
  const steering = createSteering();
  const tools = mockToolset([mockTool('pay', 'paid', { effect: 'external' }), mockTool('look', 'found')]);
  const provider = scriptedProvider([
    { calls: [{ name: 'pay' }] },
    { calls: [{ name: 'look' }, { name: 'pay' }] },
    { text: 'ok' },
  ]);
  const go = (messages: readonly Message[], approve: Approve) =>
    collect(run({ provider, model, messages, tools, steering, approve }));
  const first = await go([user('Go')], () => ({ decision: 'later' }));
  expect(first.reason).toBe('approval');
  steering.steer('And send me the bill.');
  let asked = 0;
  const second = await go(first.messages, () => {
    asked += 1;
    // What comes in from now on skips what has not started, as in any run.
    if (asked === 2) steering.steer('Do not pay twice.');
    return { decision: 'allow' };
  });
  expect(second.reason).toBe('done');
  expect(tools.calls.map(({ name }) => name)).toEqual(['pay']);
  expectSound(second.messages);
  expect(provider.streamRequests[1]?.messages.slice(-2).map(textOf)).toEqual(['paid', 'And send me the bill.']);
  expect(second.messages.map(textOf)).toContain(
    'TOOL_SKIPPED: "pay" was not started: a message from the user came first.',
  );
});

test('a message that comes in while such a call is decided on skips it', async () => {
  verifies('agent.loop.steer.decided');
  const steering = createSteering();
  const tools = mockToolset([mockTool('pay', 'paid', { effect: 'external' })]);
  const provider = scriptedProvider([{ calls: [{ name: 'pay' }] }, { text: 'ok' }]);
  const options = { provider, model, tools, steering };
  const first = await collect(run({ ...options, messages: [user('Go')], approve: () => ({ decision: 'later' }) }));
  steering.steer('First.');
  const approve: Approve = () => {
    steering.steer('Do not pay.');
    return { decision: 'allow' };
  };
  await collect(run({ ...options, messages: first.messages, approve }));
  expect(tools.calls).toEqual([]);
});

test('a follow-up waits for the answer, and the run goes on with it', async () => {
  const steering = createSteering();
  steering.followUp('And in French?');
  expect(steering.pending).toEqual({ steer: [], followUp: [user('And in French?')], isStopping: false });
  const provider = scriptedProvider([{ text: 'Hello' }, { text: 'Bonjour' }]);
  const events = await readAll(run({ provider, model, messages: [user('Greet me')], steering }));
  expect(endOf(events)).toMatchObject({ reason: 'done', answer: 'Bonjour', turns: 2 });
  expect(events.find((event) => event.type === 'steer')?.messages).toEqual([user('And in French?')]);
  expect(steering.pending.followUp).toEqual([]);
});

test('a graceful stop lets what runs finish and ends with a sound history', async () => {
  const steering = createSteering();
  const tools = mockToolset([
    mockTool('a', () => {
      steering.stop();
      return 'finished';
    }),
  ]);
  const provider = scriptedProvider([{ text: 'Hm.', calls: [{ name: 'a' }, { name: 'a' }] }]);
  const result = await collect(
    run({ provider, model, messages: [user('Go')], tools, steering, limits: { parallel: 1 } }),
  );
  expect(result).toMatchObject({ reason: 'aborted', turns: 1 });
  expect(result.messages.slice(2).map(textOf)).toEqual(['finished', expect.stringContaining('stopped the run')]);
});

test('the late result of an async tool becomes a follow-up message before the next request', async () => {
  verifies('agent.loop.async.inject');
  const tools = mockToolset([
    mockTool('slow', (_call, { onComplete }) => {
      onComplete?.({ forLLM: 'built in 5 s' });
      onComplete?.({ forLLM: 'twice' });
      return { forLLM: 'Started.', async: true };
    }),
  ]);
  const provider = scriptedProvider([{ calls: [{ name: 'slow', id: '7' }] }, { text: 'ok' }]);
  const events = await readAll(run({ provider, model, messages: [user('Build')], tools }));
  const sent = provider.streamRequests[1]?.messages ?? [];
  expect(sent.slice(-2).map(textOf)).toEqual(['Started.', 'The background call of "slow" (7) is done:\nbuilt in 5 s']);
  const complete = events.filter(
    (event): event is Extract<AgentEvent, { type: 'tool-complete' }> => event.type === 'tool-complete',
  );
  expect(complete).toEqual([{ type: 'tool-complete', callId: '7', result: { forLLM: 'built in 5 s' } }]);
});

test('a late result that comes with the last answer still gets its turn', async () => {
  let complete = () => {};
  const tools = mockToolset([
    mockTool('slow', (_call, { onComplete }) => {
      complete = () => onComplete?.({ forLLM: '', isError: true, error: new Error('no disk') });
      return { forLLM: 'Started.', async: true };
    }),
  ]);
  const provider = scriptedProvider([
    { calls: [{ name: 'slow', id: '7' }] },
    () => {
      queueMicrotask(() => complete());
      return { text: 'It runs.', delayMs: 5 };
    },
    { text: 'It failed.' },
  ]);
  const result = await collect(run({ provider, model, messages: [user('Build')], tools }));
  expect(result).toMatchObject({ reason: 'done', answer: 'It failed.', turns: 3 });
  expect(result.messages.map(textOf).at(-2)).toBe('The background call of "slow" (7) failed:\nno disk');
});
