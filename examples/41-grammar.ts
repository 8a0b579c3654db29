// A grammar constrains a local model to valid calls: it is sent to llama.cpp in the request body.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { Tool } from '@kernel/protocol';
import { createProvider } from '@kernel/providers';
import { withTextTools } from '@kernel/providers/text-tools';
import { toGbnf, toJsonSchemaUnion } from '@kernel/tools/grammar';

const tools: readonly Tool[] = [
  {
    name: 'set_timer',
    description: 'Sets a timer.',
    parameters: {
      type: 'object',
      properties: { minutes: { type: 'integer', minimum: 1, maximum: 90 } },
      required: ['minutes'],
      additionalProperties: false,
    },
  },
];
const { grammar, warnings } = toGbnf(tools, { compact: true, text: true });
console.log(grammar.split('\n')[0]);
assert.deepEqual(warnings, []);

// This server stands in for llama.cpp: it records the body and replies what a model under this grammar could say.
const bodies: string[] = [];
const reply = '{"name":"set_timer","arguments":{"minutes":5}}';
const server = createServer((request, response) => {
  let text = '';
  request.on('data', (piece: Buffer) => (text += piece.toString()));
  request.on('end', () => {
    bodies.push(text);
    const chunk = { choices: [{ index: 0, delta: { content: reply }, finish_reason: 'stop' }] };
    response.setHeader('content-type', 'text/event-stream');
    response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
  });
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const address = server.address();
assert.ok(typeof address === 'object' && address !== null);

const local = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${address.port}/v1` });
const provider = withTextTools(local, 'json');
const messages = [{ role: 'user', content: 'Five minutes, please.' }] as const;
const options = { grammar }; // vLLM: { structured_outputs: { grammar } }
for await (const event of provider.stream({ model: 'local', messages, tools, options })) {
  if (event.type !== 'message-end') continue;
  const [call] = event.message.content;
  console.log(call);
  assert.deepEqual(call, { type: 'tool-call', id: 'text_1', name: 'set_timer', arguments: '{"minutes":5}' });
}
const body: unknown = JSON.parse(bodies[0] ?? '');
assert.partialDeepStrictEqual(body, { grammar });
assert.ok(typeof body === 'object' && body !== null && !('tools' in body));

// Servers that accept a JSON Schema but no grammar get one for all calls.
assert.ok('anyOf' in toJsonSchemaUnion(tools));
server.close();
server.closeAllConnections();
