// The same in Express, for the AI SDK's useChat: a Response is piped into Node's, and a closed connection aborts the run.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { run } from '@kernel/agent';
import { toUiMessageStreamResponse } from '@kernel/agent/web';
import express from 'express';
import * as z from 'zod';
import { tools, weatherProvider } from './web/weather.ts';

const outcomes: string[] = [];

const app = express();
// oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Express 5 handles rejections
app.post('/api/chat', express.json(), async (request, response) => {
  const { text } = z.object({ text: z.string() }).parse(request.body);
  const provider = weatherProvider({ stalls: text === 'Slowly' });
  const events = run({ provider, model: 'any-model', messages: [{ role: 'user', content: text }], tools });
  const { status, headers, body } = toUiMessageStreamResponse(events, { show: ['arguments', 'results'] });
  response.writeHead(status, Object.fromEntries(headers));
  // The types of the web and of Node describe the same class a little differently.
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion, typescript/no-unsafe-type-assertion
  const stream = body as ReadableStream | null;
  // A client that leaves ends the pipeline, which cancels the body, which aborts the run.
  await pipeline(stream === null ? Readable.from([]) : Readable.fromWeb(stream), response).then(
    () => outcomes.push('finished'),
    () => outcomes.push('disconnected'),
  );
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
assert.ok(typeof address === 'object' && address !== null);
const url = `http://127.0.0.1:${address.port}/api/chat`;
const ask = (text: string, signal?: AbortSignal): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
    ...(signal && { signal }),
  });

const whole = await ask('Weather in Oslo?');
assert.equal(whole.headers.get('x-vercel-ai-ui-message-stream'), 'v1');
const chunks = (await whole.text()).split('\n\n').filter((frame) => frame !== '');
assert.equal(chunks.at(-1), 'data: [DONE]');
assert.ok(chunks.some((chunk) => chunk.includes('"tool-output-available"') && chunk.includes('"celsius":3')));

const controller = new AbortController();
const slow = await ask('Slowly', controller.signal);
for await (const piece of slow.body?.pipeThrough(new TextDecoderStream()) ?? []) if (piece.includes('It is')) break;
controller.abort();
while (outcomes.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
assert.deepEqual(outcomes, ['finished', 'disconnected']);
console.log(`${chunks.length} chunks`);
server.close();
server.closeAllConnections();
