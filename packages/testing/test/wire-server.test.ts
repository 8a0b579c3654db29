import { expect, test } from 'vitest';
import { startWireServer, type WireServer } from '../src/index.ts';

async function post(server: WireServer, body: unknown, path = '/chat/completions'): Promise<Response> {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return fetch(`${server.baseUrl}${path}`, init);
}

const USER = { role: 'user', content: 'Hi' };
const CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };

async function withServer(options: Parameters<typeof startWireServer>[0], work: (server: WireServer) => Promise<void>) {
  const server = await startWireServer(options);
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

test('a scripted reply comes whole or as a stream, as the request asks, and every request is recorded', async () => {
  const reply = {
    text: 'Hello',
    calls: [{ name: 'f', arguments: { x: 1 } }],
    usage: { inputTokens: 1, outputTokens: 2 },
  };
  await withServer({ replies: [reply, reply] }, async (server) => {
    const whole = (await (await post(server, { model: 'm', messages: [USER] })).json()) as { choices: object[] };
    expect(whole.choices[0]).toMatchObject({ message: { content: 'Hello' }, finish_reason: 'tool_calls' });
    const stream = await (await post(server, { model: 'm', messages: [USER], stream: true })).text();
    expect(stream).toMatch(/^data: .*"role":"assistant"/);
    expect(stream.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(server.requests.map(({ body }) => body)).toEqual([
      { model: 'm', messages: [USER] },
      { model: 'm', messages: [USER], stream: true },
    ]);
  });
});

test.each([
  [
    'an unanswered call',
    { messages: [USER, { role: 'assistant', content: null, tool_calls: [CALL] }] },
    'a was not answered',
  ],
  [
    'a result without its call',
    { messages: [USER, { role: 'tool', tool_call_id: 'z', content: '' }] },
    'an open call: z',
  ],
  [
    'a second result for a call',
    {
      messages: [
        { role: 'assistant', content: null, tool_calls: [CALL] },
        { role: 'tool', tool_call_id: 'a', content: '' },
        { role: 'tool', tool_call_id: 'a', content: '' },
      ],
    },
    'an open call: a',
  ],
  [
    'a field that is no wire field of a tool',
    {
      messages: [USER],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' }, metadata: {} } }],
    },
    'unknown field "metadata"',
  ],
  ['a tool choice that is not offered', { messages: [USER], tool_choice: 'auto' }, 'tool_choice without tools'],
])('the strict checks refuse %s with 400 and the reason', async (_, body, reason) => {
  await withServer({ replies: [{ text: 'never' }] }, async (server) => {
    const response = await post(server, { model: 'm', ...body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(JSON.stringify(reason).slice(1, -1));
  });
});

test('a script that has run out, and a wrong token, are answered with what is wrong', async () => {
  await withServer({}, async (server) => {
    expect(await (await post(server, { model: 'm', messages: [USER] })).text()).toContain('no reply for request 1');
  });
  await withServer({ token: 'abcd', replies: [{ text: 'never' }] }, async (server) => {
    expect((await post(server, { model: 'm', messages: [USER] })).status).toBe(401);
  });
});

test('a reply given byte by byte is sent as it is, and can be cut, reset or stalled after any byte', async () => {
  const chunks = ['one', Buffer.from('two'), { waitMs: 1 }, 'three'];
  await withServer(
    {
      replies: [
        { chunks },
        { chunks, fault: { cutAfter: 4 } },
        { chunks, fault: { resetAfter: 4 } },
        { status: 418, headers: { 'x-tea': 'yes' }, chunks: [] },
      ],
    },
    async (server) => {
      const body = { model: 'm', messages: [USER] };
      expect(await (await post(server, body)).text()).toBe('onetwothree');
      expect(await (await post(server, body)).text()).toBe('onet');
      await expect(post(server, body).then((response) => response.text())).rejects.toThrow(/terminated|fetch failed/);
      const teapot = await post(server, body);
      expect([teapot.status, teapot.headers.get('x-tea')]).toEqual([418, 'yes']);
    },
  );
});
