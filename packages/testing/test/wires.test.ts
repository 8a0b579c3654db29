import { expect, test } from 'vitest';
import { startWireServer, type WireName } from '../src/index.ts';

interface Case {
  readonly wire: WireName;
  readonly path: string;
  readonly what: string;
  readonly body: object;
  readonly reason: string;
}

const CALL = { type: 'tool_use', id: 'a', name: 'f', input: {} };
const TOOLS = [{ name: 'f', input_schema: { type: 'object' } }];
const ANTHROPIC = { wire: 'anthropic', path: '/v1/messages' } as const;
const GEMINI = { wire: 'gemini', path: '/v1beta/models/m:generateContent' } as const;
const RESPONSES = { wire: 'openai-responses', path: '/v1/responses' } as const;
const OLLAMA = { wire: 'ollama', path: '/api/chat' } as const;
const BEDROCK = { wire: 'bedrock', path: '/model/m/converse' } as const;
const user = (...content: object[]): object => ({ role: 'user', content });
const assistant = (...content: object[]): object => ({ role: 'assistant', content });
const messages = (...list: object[]): object => ({ model: 'm', max_tokens: 1, tools: TOOLS, messages: list });
const TEXT = { type: 'text', text: 'Hi' };

const CASES: readonly Case[] = [
  {
    ...ANTHROPIC,
    what: 'an unanswered call',
    body: messages(user(TEXT), assistant(CALL)),
    reason: 'a was not answered',
  },
  {
    ...ANTHROPIC,
    what: 'a result behind text',
    body: messages(user(TEXT), assistant(CALL), user(TEXT, { type: 'tool_result', tool_use_id: 'a' })),
    reason: 'other content before its results',
  },
  {
    ...ANTHROPIC,
    what: 'results in two messages',
    body: messages(
      user(TEXT),
      assistant(CALL, { ...CALL, id: 'b' }),
      user({ type: 'tool_result', tool_use_id: 'a' }),
      user({ type: 'tool_result', tool_use_id: 'b' }),
    ),
    reason: 'b has no result',
  },
  {
    ...ANTHROPIC,
    what: 'an id with a bar',
    body: messages(user(TEXT), assistant({ ...CALL, id: 'a|b' }), user({ type: 'tool_result', tool_use_id: 'a|b' })),
    reason: 'illegal call id',
  },
  { ...ANTHROPIC, what: 'no limit', body: { model: 'm', messages: [user(TEXT)] }, reason: 'max_tokens is missing' },
  {
    ...ANTHROPIC,
    what: 'an empty text',
    body: messages(user({ type: 'text', text: ' ' })),
    reason: 'empty text block',
  },
  {
    ...GEMINI,
    what: 'a missing result',
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
      ],
    },
    reason: '1 calls were not answered',
  },
  {
    ...GEMINI,
    what: 'a reference in a schema',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'x' }] }],
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parametersJsonSchema: { type: 'object', properties: { a: { $ref: '#' } } } },
          ],
        },
      ],
    },
    reason: 'the keyword $ref',
  },
  {
    ...RESPONSES,
    what: 'an unanswered call',
    body: { model: 'm', input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }] },
    reason: 'a was not answered',
  },
  {
    ...RESPONSES,
    what: 'reasoning alone',
    body: {
      model: 'm',
      input: [
        { type: 'reasoning', id: 'r' },
        { role: 'user', content: 'x' },
      ],
    },
    reason: 'reasoning without the item',
  },
  {
    ...OLLAMA,
    what: 'arguments as text',
    body: {
      model: 'm',
      messages: [
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
        { role: 'tool', content: 'x' },
      ],
    },
    reason: 'arguments are not an object',
  },
  {
    ...BEDROCK,
    what: 'calls without tools',
    body: { messages: [user({ text: 'x' }), assistant({ toolUse: { toolUseId: 'a', name: 'f', input: {} } })] },
    reason: 'no toolConfig',
  },
  {
    ...BEDROCK,
    what: 'the same side twice',
    body: { messages: [user({ text: 'x' }), user({ text: 'y' })] },
    reason: 'like the previous message',
  },
];

test.each(CASES)('the $wire wire refuses $what with 400 and the reason', async ({ body, path, reason, wire }) => {
  const server = await startWireServer({ wire, replies: [{ text: 'never' }] });
  const response = await fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(reason)]);
  await server.close();
});

test('a server of one wire answers the paths of others with 404', async () => {
  const server = await startWireServer({ wire: 'anthropic', replies: () => ({ text: 'never' }) });
  for (const path of ['/v1/chat/completions', '/api/chat', '/v1beta/models/m:generateContent']) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    expect((await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' })).status).toBe(404);
  }
  await server.close();
});

test('a server of no one wire speaks all of them, told apart by path', async () => {
  const server = await startWireServer({ replies: () => ({ text: 'Hello' }), strict: false });
  for (const path of [
    '/v1/messages',
    '/v1/responses',
    '/api/chat',
    '/v1beta/models/m:generateContent',
    '/model/m/converse',
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after another
    const response = await fetch(`${server.url}${path}`, { method: 'POST', body: '{"model":"m","stream":false}' });
    // oxlint-disable-next-line no-await-in-loop -- one after another
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.stringContaining('Hello')]);
  }
  await server.close();
});
