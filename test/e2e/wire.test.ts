import { collect, run } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
import { startWireServer, verifies, type WireReply } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';

const messages = [{ role: 'user', content: 'How warm is it in Lisbon?' }] as const;
const asks: WireReply = {
  text: 'Let me look.',
  calls: [{ id: 'call_1', name: 'weather', arguments: { city: 'Lisbon' } }],
};

async function setUp(replies: readonly WireReply[], token?: string) {
  const server = await startWireServer({ replies });
  onTestFinished(() => server.close());
  const ran: string[] = [];
  const weather = defineTool({
    name: 'weather',
    description: 'Tells the weather in a city.',
    effect: 'read',
    metadata: { category: 'research' },
    input: z.object({ city: z.string() }),
    handler: ({ city }) => {
      ran.push(city);
      return `31 °C in ${city}`;
    },
  });
  const provider = createProvider({ name: 'openai', baseUrl: server.baseUrl, token });
  return { server, ran, options: { provider, model: 'm', messages, tools: createRegistry([weather]) } };
}

test.each([true, false])('a two-turn tool conversation over real HTTP, stream: %s', async (stream) => {
  verifies('providers.openai.chat', 'providers.fields');
  const { server, ran, options } = await setUp([
    asks,
    { text: 'It is 31 °C.', usage: { inputTokens: 9, outputTokens: 4 } },
  ]);
  const result = await collect(run({ ...options, stream }));
  expect(result).toMatchObject({
    reason: 'done',
    answer: 'It is 31 °C.',
    turns: 2,
    usage: { inputTokens: 9, outputTokens: 4 },
  });
  expect(ran).toEqual(['Lisbon']);
  expect(server.requests).toHaveLength(2);
  expect(JSON.stringify(server.requests[1]?.body)).toContain('31 °C in Lisbon');
  expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/category|effect|metadata/);
});

test('a stream that is cut anywhere in the arguments ends the run with an error and runs no tool', async () => {
  verifies('providers.stream.cut', 'agent.loop.truncated');
  for (let cutAfter = 40; cutAfter < 900; cutAfter += 90) {
    const { ran, options } = await setUp([{ ...asks, fault: { cutAfter } }]);
    const result = await collect(run(options));
    expect(result.reason).toBe('error');
    expect(ran).toEqual([]);
    expect(result.messages).toEqual(messages);
  }
});
