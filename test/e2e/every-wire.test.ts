import { collect, run } from '@kernel/agent';
import { type Message, toolCallsOf } from '@kernel/protocol';
import { verifies, type WireReply } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, test } from 'vitest';
import { setUpWire, WIRES, WIRES_OVER_ALL } from './wires.ts';

const user = (content: string): Message => ({ role: 'user', content });
const asks: WireReply = {
  text: 'Let me look.',
  calls: [
    { id: 'call_a', name: 'weather', arguments: { city: 'Lisbon' } },
    { id: 'call_b', name: 'weather', arguments: { city: 'Oslo' } },
  ],
};

describe.each(WIRES_OVER_ALL)('the wire %s over %s', (name, _transport, config) => {
  test.each([true, false])('carries a conversation with two parallel calls, stream: %s', async (stream) => {
    const { ran, options } = await setUpWire(
      [name, config],
      [asks, { text: 'Sunny in both.', usage: { inputTokens: 9, outputTokens: 4 } }],
    );
    const result = await collect(run({ ...options, stream, messages: [user('Weather?')] }));
    expect(result).toMatchObject({ reason: 'done', answer: 'Sunny in both.', turns: 2 });
    expect(ran).toEqual(['Lisbon', 'Oslo']);
  });

  test('an abort in the middle closes the connection and leaves a history that can be sent again', async () => {
    verifies('agent.loop.abort', 'architecture.clean');
    const { options, server } = await setUpWire([name, config], [{ ...asks, fault: { stallAfter: 60 } }]);
    const stop = new AbortController();
    const running = collect(run({ ...options, messages: [user('Weather?')], signal: stop.signal }));
    // Only a request that has arrived takes the reply that stalls.
    await expect.poll(() => server.requests.length).toBe(1);
    setTimeout(() => stop.abort(), 20);
    const aborted = await running;
    expect(aborted.reason).toBe('aborted');
    // Node's fetch opens a spare connection in place of one that it closes.
    await expect.poll(() => server.connections.opened - server.connections.open).toBe(1);
    server.enqueue({ text: 'Here.' });
    const again = await collect(run({ ...options, messages: aborted.messages }));
    expect(again.reason).toBe('done');
  });
});

describe.each(WIRES)('the wire %s', (...wire) => {
  test('an image in a result reaches the model where the wire takes it, and is a note elsewhere; a failure is told', async () => {
    verifies('result.media', 'result.error.wire');
    const { server, options } = await setUpWire(wire, [
      { calls: [{ name: 'draw' }, { name: 'fail' }] },
      { text: 'Nice.' },
    ]);
    const parameters = { type: 'object', properties: {} };
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const tools = createRegistry([
      bindTool({ name: 'draw', description: 'Draws.', parameters }, () => ({ forLLM: 'A chart.', media: [image] })),
      bindTool({ name: 'fail', description: 'Fails.', parameters }, () => {
        throw new Error('no ink');
      }),
    ]);
    const result = await collect(run({ ...options, tools, messages: [user('Draw!')] }));
    expect(result.reason).toBe('done');
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain('A chart.');
    expect(sent).toMatch(/iVBORw0KGgo=|\[.*image/i);
    expect(sent).toMatch(/is_error|Error:|"error"|"status":"error"|TOOL_FAILED/);
    expect(sent).toContain('no ink');
  });

  test('a server that repeats its call ids gets each answer for its own call, and deltas have the ids that count', async () => {
    verifies('agent.loop.message.ids');
    const call = (city: string) => ({ id: 'call_0', name: 'weather', arguments: { city } });
    const { options, ran } = await setUpWire(wire, [
      { calls: [call('Lisbon'), call('Oslo')] },
      { calls: [call('Rome')] },
      { text: 'Sunny.' },
    ]);
    const inDeltas: string[] = [];
    const inMessages: string[] = [];
    for await (const event of run({ ...options, messages: [user('Weather?')] })) {
      if (event.type === 'tool-call-delta' && event.id !== undefined) inDeltas.push(event.id);
      if (event.type === 'message-end') inMessages.push(...toolCallsOf(event.message).map(({ id }) => id));
    }
    expect(ran).toEqual(['Lisbon', 'Oslo', 'Rome']);
    expect(new Set(inMessages).size).toBe(3);
    for (const id of inDeltas) expect(inMessages).toContain(id);
    expect(new Set(inDeltas).size).toBe(inDeltas.length);
  });
});

test('no turn is lost between vendors: a history begun on one wire goes on on every other', async () => {
  const first = await setUpWire(['openai', {}], [{ ...asks, reasoning: 'Hm.' }, { text: 'Sunny.' }]);
  let { messages } = await collect(run({ ...first.options, messages: [user('Weather?')] }));
  for (const wire of WIRES) {
    const { options, ran } = await setUpWire(wire, [{ ...asks, reasoning: 'Hm.' }, { text: `From ${wire[0]}.` }]);
    const result = await collect(run({ ...options, messages: [...messages, user('And now?')] }));
    expect(result).toMatchObject({ reason: 'done', answer: `From ${wire[0]}.` });
    expect(ran).toHaveLength(2);
    ({ messages } = result);
  }
  expect(messages.filter((message) => message.role === 'tool')).toHaveLength(2 + 2 * WIRES.length);
});
