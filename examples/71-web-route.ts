// A route that takes a Request and returns a Response, as in Deno, Bun, workers and Next.js. The client disconnects and comes back.
import assert from 'node:assert/strict';
import { serve } from '@hono/node-server';
import { createMemorySession, loadHistory, runSession } from '@kernel/agent';
import { resumeFrom, toResponse } from '@kernel/agent/web';
import { readEvents } from './web/read-events.ts';
import { tools, weatherProvider } from './web/weather.ts';

const session = createMemorySession(); // the user's session: a file, or a table in your database
// The first answer stalls, so the client disconnects in the middle of it.
const options = { session, provider: weatherProvider({ stalls: true }), model: 'any-model', tools };

async function* noEvents(): AsyncGenerator<never> {}

async function chat(request: Request): Promise<Response> {
  if (request.method === 'POST')
    return toResponse(runSession({ ...options, messages: [{ role: 'user', content: await request.text() }] }));
  // The client reconnects: it gets what it missed, then the rest of the answer, if there is any.
  const isAnswered = (await loadHistory(session)).at(-1)?.role === 'assistant';
  return toResponse(isAnswered ? noEvents() : runSession(options), { resume: resumeFrom(request, session) });
}

// Only Node needs an adapter.
const { promise: port, resolve: onPort } = Promise.withResolvers<number>();
const server = serve({ fetch: chat, hostname: '127.0.0.1', port: 0 }, (info) => onPort(info.port));
const url = `http://127.0.0.1:${await port}/`;

let lastEventId = '';
let shown = '';
for await (const { id = '', event } of readEvents(await fetch(url, { method: 'POST', body: 'Weather in Oslo?' }))) {
  if (id !== lastEventId) shown = ''; // discard the deltas of a message that is now complete
  lastEventId = id;
  if (event.type === 'text-delta') shown += event.text;
  if (shown === 'It is') break; // disconnects, which aborts the run
}

const back = await fetch(url, { headers: { 'last-event-id': lastEventId } });
const types: string[] = [];
shown = ''; // discard what came with the last id
for await (const { event } of readEvents(back)) {
  types.push(event.type);
  if (event.type === 'text-delta') shown += event.text;
}
assert.equal(types[0], 'resume');
assert.equal(types.at(-1), 'run-end');
assert.equal(shown, 'It is 3 °C in Oslo.');
console.log(`resumed after message ${lastEventId}: ${shown}`);
server.close();
