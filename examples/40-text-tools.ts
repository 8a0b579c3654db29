// A model without native tool calls: the tools are described in its system prompt, and its calls are parsed from its text.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { withTextTools } from '@kernel/providers/text-tools';
import { scriptedProvider } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';

const tools = createRegistry([
  bindTool<{ readonly city: string }>(
    {
      name: 'get_weather',
      description: 'Tells the weather of a city.',
      effect: 'read',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    ({ city }) => `Rain in ${city}.`,
  ),
]);

// In production: createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:8080/v1' }), a llama.cpp server.
const model = scriptedProvider([
  { text: 'I look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>' },
  { text: 'It rains in Oslo.' },
]);
const provider = withTextTools(model, 'hermes');

const messages = [{ role: 'user', content: 'How is the weather in Oslo?' }] as const;
const result = await collect(run({ provider, model: 'any-model', messages, tools }));
console.log(result.toolCalls[0]?.result.forLLM);

assert.equal(result.toolCalls[0]?.result.forLLM, 'Rain in Oslo.');
assert.equal(result.reason, 'done');
assert.equal(result.answer, 'It rains in Oslo.');
console.log(result.answer);
const [first, second] = model.streamRequests;
assert.equal(first?.tools, undefined);
assert.match(JSON.stringify(first?.messages[0]), /get_weather/);
assert.match(JSON.stringify(second?.messages.at(-1)), /<tool_response>/);
