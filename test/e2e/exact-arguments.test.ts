import { collect, run } from '@kernel/agent';
import { createProviders } from '@kernel/providers';
import { type RawReply, startWireServer, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, onTestFinished, test } from 'vitest';

const WIRES = ['openai', 'gemini', 'ollama', 'anthropic'] as const;

/** A reply of each wire with one call; chat completions send the arguments as text, the others as an object. */
function replyOf(wire: (typeof WIRES)[number], args: string): RawReply {
  const bodies = {
    openai: `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"pay","arguments":${JSON.stringify(args)}}}]},"finish_reason":"tool_calls"}]}`,
    gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"pay","args":${args}}}]},"finishReason":"STOP"}]}`,
    ollama: `{"message":{"tool_calls":[{"function":{"name":"pay","arguments":${args}}}]},"done":true}\n`,
    anthropic: `{"content":[{"type":"tool_use","id":"a","name":"pay","input":${args}}],"stop_reason":"tool_use"}`,
  };
  return { chunks: [bodies[wire]] };
}

async function resultOver(wire: (typeof WIRES)[number], args: string): Promise<unknown> {
  const server = await startWireServer({ wire, replies: [replyOf(wire, args), { text: 'ok' }] });
  onTestFinished(() => server.close());
  const pay = bindTool(
    { name: 'pay', description: 'Pays.', parameters: { type: 'object' }, effect: 'write' },
    (input) => JSON.stringify(input),
  );
  const provider = createProviders().create({ name: wire, baseUrl: server.baseUrl, token: 'abcd' });
  const { messages } = await collect(
    run({ provider, model: 'm', tools: createRegistry([pay]), messages: [{ role: 'user', content: 'Pay.' }] }),
  );
  return messages.find(({ role }) => role === 'tool')?.content;
}

test.each(['{"to":"a","to":"b"}', '{"sum":9007199254740993}', '{"sum":1e400}', '{"sum":1}'])(
  'the registry says the same about %s, whether a wire sends text or an object',
  async (args) => {
    verifies('providers.stream.exact');
    const [text, ...others] = await Promise.all(WIRES.map((wire) => resultOver(wire, args)));
    expect(others).toEqual([text, text, text]);
    expect(text).toMatch(args === '{"sum":1}' ? /^\{"sum":1\}$/ : /refused its arguments/);
  },
);
