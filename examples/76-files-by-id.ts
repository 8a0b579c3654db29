// A large file is uploaded once; every request of the conversation refers to it by its id.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
import { uploadFile } from '@kernel/providers/files';
import { startWireServer } from '@kernel/testing';

const server = await startWireServer({
  replies: [
    { headers: { 'content-type': 'application/json' }, chunks: ['{"id":"file_1"}'] },
    { text: 'It is about bees.' },
    { text: 'Twelve.' },
  ],
});
const config = { name: 'openai-responses', baseUrl: server.baseUrl, token: 'any-key' } as const;

const data = new TextEncoder().encode('%PDF-1.7 …');
const file = await uploadFile(config, { data, mimeType: 'application/pdf', name: 'bees.pdf' });

const provider = createProvider(config);
const question = { role: 'user', content: [{ type: 'text', text: 'What is it about?' }, file.part] } as const;
const first = await collect(run({ provider, model: 'gpt-5.6', messages: [question] }));
const messages = [...first.messages, { role: 'user', content: 'How many pages?' } as const];
const second = await collect(run({ provider, model: 'gpt-5.6', messages }));

console.log(second.reason === 'done' ? second.answer : second.reason);
const [, , last] = server.requests.map(({ bytes }) => new TextDecoder().decode(bytes));
assert.match(last ?? '', /"type":"input_file","file_id":"file_1"/);
assert.equal(second.reason === 'done' && second.answer, 'Twelve.');
await server.close();
