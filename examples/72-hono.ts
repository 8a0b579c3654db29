// The same route in Hono, and a decision of the client that lets the run go on.
import assert from 'node:assert/strict';
import { serve } from '@hono/node-server';
import { createMemorySession, runSession, type Session } from '@kernel/agent';
import { decisionsFrom, toResponse } from '@kernel/agent/web';
import { KernelError } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { Hono } from 'hono';
import { readEvents } from './web/read-events.ts';
import { sentMailTo, tools } from './web/weather.ts';

const provider = scriptedProvider([
  { calls: [{ name: 'send_mail', arguments: { to: 'ada@example.com', text: 'It is 3 °C.' } }] },
  { text: 'Ada knows.' },
]);
const sessions = new Map<string, Session>();
const sessionOf = (id: string): Session => {
  const session = sessions.get(id) ?? createMemorySession();
  sessions.set(id, session);
  return session;
};
const options = { provider, model: 'any-model', tools };

const app = new Hono()
  .post('/chats/:id', async (context) => {
    const messages = [{ role: 'user', content: await context.req.text() }] as const;
    const session = sessionOf(context.req.param('id'));
    const approve = decisionsFrom([]); // every question stays open until the client has decided
    // Whoever decides must see the arguments.
    return toResponse(runSession({ ...options, session, messages, approve }), { show: ['arguments'] });
  })
  .post('/chats/:id/decisions', async (context) => {
    const session = sessionOf(context.req.param('id'));
    const approve = decisionsFrom(await context.req.json()); // throws for anything other than decisions
    return toResponse(runSession({ ...options, session, approve }));
  })
  .onError((error, context) =>
    KernelError.is(error, 'ARGUMENTS_INVALID') ? context.json({ error: error.message }, 400) : context.body(null, 500),
  );

const { promise: port, resolve: onPort } = Promise.withResolvers<number>();
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (info) => onPort(info.port));
const url = `http://127.0.0.1:${await port}/chats/1`;
const post = (path: string, body: string): Promise<Response> => fetch(`${url}${path}`, { method: 'POST', body });

let question: { callId: string; digest: string } | undefined;
for await (const { event } of readEvents(await post('', 'Tell Ada.'))) {
  if (event.type === 'run-end') question = event.pending?.[0];
}
assert.ok(question);
assert.equal((await post('/decisions', '{"callId":"x","decision":"allow"}')).status, 400);
assert.deepEqual(sentMailTo, []);

let answer = '';
const decided = await post('/decisions', JSON.stringify({ ...question, decision: 'allow' }));
for await (const { event } of readEvents(decided)) if (event.type === 'text-delta') answer += event.text;
assert.equal(answer, 'Ada knows.');
assert.deepEqual(sentMailTo, ['ada@example.com']);
console.log(answer);
server.close();
