import { collect, repairHistory, run } from '@kernel/agent';
import { type Message, textOf } from '@kernel/protocol';
import { createProvider, type ProviderConfig } from '@kernel/providers';
import { startWireServer, verifies, type WireReply, type WireServerOptions } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, onTestFinished, test } from 'vitest';

type Wire = readonly [NonNullable<WireServerOptions['wire']>, Partial<ProviderConfig>];

const WIRES: readonly Wire[] = [
  ['openai', {}],
  ['openai-responses', {}],
  ['anthropic', { token: 't' }],
  ['gemini', { token: 't' }],
  ['ollama', {}],
  ['bedrock', { region: 'eu-west-1', token: 't' }],
];

const user = (content: string): Message => ({ role: 'user', content });
const asks: WireReply = {
  text: 'Let me look.',
  calls: [
    { id: 'call_a', name: 'weather', arguments: { city: 'Lisbon' } },
    { id: 'call_b', name: 'weather', arguments: { city: 'Oslo' } },
  ],
};

async function setUp(wire: Wire, replies: readonly WireReply[]) {
  const [name, config] = wire;
  const server = await startWireServer({ wire: name, replies });
  onTestFinished(() => server.close());
  const ran: string[] = [];
  const weather = bindTool<{ city: string }>(
    {
      name: 'weather',
      description: 'Tells the weather.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      effect: 'read',
    },
    ({ city }) => {
      ran.push(city);
      return `sunny in ${city}`;
    },
  );
  const provider = createProvider({ name, baseUrl: server.baseUrl, ...config });
  return { server, ran, options: { provider, model: 'a-model', tools: createRegistry([weather]) } };
}

describe.each(WIRES)('the wire %s', (...wire) => {
  test.each([true, false])('carries a conversation with two parallel calls, stream: %s', async (stream) => {
    const { ran, options } = await setUp(wire, [
      asks,
      { text: 'Sunny in both.', usage: { inputTokens: 9, outputTokens: 4 } },
    ]);
    const result = await collect(run({ ...options, stream, messages: [user('Weather?')] }));
    expect(result).toMatchObject({ reason: 'done', answer: 'Sunny in both.', turns: 2 });
    expect(ran).toEqual(['Lisbon', 'Oslo']);
  });

  test('a reply that is cut anywhere, or stopped by length, runs no tool and leaves a sound history', async () => {
    verifies('agent.loop.truncated', 'providers.stream.cut');
    const whole = await setUp(wire, [asks]);
    await collect(run({ ...whole.options, messages: [user('Weather?')], limits: { turns: 1 } }));
    for (let cutAfter = 0; cutAfter < 400; cutAfter += 23) {
      for (const fault of [{ cutAfter }, { resetAfter: cutAfter }]) {
        const { ran, options } = await setUp(wire, [{ ...asks, fault }]);
        const result = await collect(run({ ...options, messages: [user('Weather?')] }));
        expect(result.reason).toBe('error');
        expect(ran).toEqual([]);
        expect(result.messages).toEqual([user('Weather?')]);
      }
    }
    const { ran, options } = await setUp(wire, [{ ...asks, finishReason: 'length' }]);
    const result = await collect(run({ ...options, messages: [user('Weather?')] }));
    expect(result.reason).toBe('length');
    expect(ran).toEqual([]);
  });

  test('takes any damaged history after repair: the strict checks of its server pass', async () => {
    verifies('agent.loop.history.repair');
    const { options, server } = await setUp(wire, [asks, { text: 'Sunny.' }]);
    const sound = (await collect(run({ ...options, messages: [user('Weather?')] }))).messages;
    const damages: readonly (readonly Message[])[] = [
      sound.filter((message) => message.role !== 'tool'),
      sound.filter((_message, index) => index !== 2),
      [...sound.slice(0, 3), ...sound.slice(2)],
      [...sound].toReversed(),
      [...sound, ...sound],
      sound.slice(2),
      [{ role: 'tool', toolCallId: '', name: '', content: 'x' }, ...sound],
    ];
    for (const damaged of damages) {
      server.enqueue({ text: 'Still here.' });
      const result = await collect(run({ ...options, messages: [...repairHistory(damaged), user('And now?')] }));
      expect(result.reason === 'error' ? result.error.message : result.reason).toBe('done');
      expect(textOf(result.messages.at(-1) ?? user(''))).toBe('Still here.');
    }
  });

  test('an image in a result reaches the model where the wire takes it, and is a note elsewhere; a failure is told', async () => {
    verifies('result.media', 'result.error.wire');
    const { server, options } = await setUp(wire, [{ calls: [{ name: 'draw' }, { name: 'fail' }] }, { text: 'Nice.' }]);
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

  test('an abort in the middle closes the connection and leaves a history that can be sent again', async () => {
    verifies('agent.loop.abort', 'architecture.clean');
    const { options, server } = await setUp(wire, [{ ...asks, fault: { stallAfter: 60 } }]);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    const aborted = await collect(run({ ...options, messages: [user('Weather?')], signal: stop.signal }));
    expect(aborted.reason).toBe('aborted');
    await expect.poll(() => server.connections.open, { timeout: 2000 }).toBe(0);
    server.enqueue({ text: 'Here.' });
    const again = await collect(run({ ...options, messages: aborted.messages }));
    expect(again.reason).toBe('done');
  });
});

test('no turn is lost between vendors: a history begun on one wire goes on on every other', async () => {
  const first = await setUp(['openai', {}], [{ ...asks, reasoning: 'Hm.' }, { text: 'Sunny.' }]);
  let { messages } = await collect(run({ ...first.options, messages: [user('Weather?')] }));
  for (const wire of WIRES) {
    const { options, ran } = await setUp(wire, [{ ...asks, reasoning: 'Hm.' }, { text: `From ${wire[0]}.` }]);
    const result = await collect(run({ ...options, messages: [...messages, user('And now?')] }));
    expect(result).toMatchObject({ reason: 'done', answer: `From ${wire[0]}.` });
    expect(ran).toHaveLength(2);
    ({ messages } = result);
  }
  expect(messages.filter((message) => message.role === 'tool')).toHaveLength(2 + 2 * WIRES.length);
});
