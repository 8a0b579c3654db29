/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { KernelError, type Message, type Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { encodeFunction } from '../../src/text-tools/encode-function.ts';
import { createChatEncoder } from '../../src/openai/encode.ts';
import { resolveChat } from '../../src/openai/config.ts';
import { chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const REPLY = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'), '[DONE]')] };
const SCHEMA = Object.freeze({ type: 'object', properties: { x: { type: 'number', minimum: 1 } } });
const CLOSED = Object.freeze({ ...SCHEMA, required: ['x'], additionalProperties: false });

function tool(name: string, more: object = {}): Tool {
  return Object.freeze({ name, description: `Does ${name}.`, parameters: SCHEMA, ...more });
}

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] };

async function bodyOf(more: Parameters<typeof request>[0], config: object = {}): Promise<Body> {
  let body: unknown;
  await withServer(
    { replies: () => REPLY },
    async ({ provider, server }) => {
      await endOf(provider.stream(request(more)));
      body = server.requests[0]?.body;
      expect(server.requests[0]?.problems).toEqual([]);
    },
    config,
  );
  return body as Body;
}

test('an encoded function has the name of the tool, its description, its own schema object and strict, and is created once', () => {
  verifies('providers.function.format', 'providers.definitions.cache');
  const plain = tool('add');
  expect(encodeFunction(plain)).toEqual({
    type: 'function',
    function: { name: 'add', description: 'Does add.', parameters: SCHEMA, strict: false },
  });
  expect(encodeFunction(plain).function.parameters).toBe(SCHEMA);
  expect(encodeFunction(plain)).toBe(encodeFunction(plain));
});

test('strict is sent only for a tool that asks for it with a schema that qualifies; a downgrade is a warning', async () => {
  verifies('providers.function.strict');
  expect(encodeFunction(tool('a', { strict: true, parameters: CLOSED })).function.strict).toBe(true);
  expect(encodeFunction(tool('b', { strict: true })).function.strict).toBe(false);
  expect(encodeFunction(tool('c', { parameters: CLOSED })).function.strict).toBe(false);
  const open = { type: 'object', properties: { x: { type: 'object', additionalProperties: true } } };
  await withServer({ replies: () => REPLY }, async ({ provider, server }) => {
    const tools = [tool('b', { strict: true, parameters: open })];
    const { warnings } = await endOf(provider.stream(request({ tools })));
    expect(warnings).toEqual([
      {
        tool: 'b',
        path: '/properties/x/additionalProperties',
        message: expect.stringContaining('sent without strict mode') as unknown,
      },
    ]);
    expect(server.requests[0]?.body).toMatchObject({ tools: [{ function: { strict: false, parameters: open } }] });
  });
});

test('a strict tool with an optional property is rewritten, and the null that the model gives goes back to absent', async () => {
  verifies('providers.function.strict');
  const parameters = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] };
  const call = { id: 'x', name: 'pick', arguments: '{"a":"y","b":null}' };
  await withServer([{ calls: [call] }], async ({ provider, server }) => {
    const tools = [tool('pick', { strict: true, parameters })];
    const end = await endOf(provider.stream(request({ tools })));
    expect(end.warnings).toBeUndefined();
    expect(end.message.content).toEqual([{ type: 'tool-call', ...call, arguments: '{"a":"y"}' }]);
    expect(server.requests[0]?.body).toMatchObject({
      tools: [{ function: { strict: true, parameters: { required: ['a', 'b'], additionalProperties: false } } }],
    });
  });
  await withServer(
    [{ text: 'ok' }],
    async ({ provider, server }) => {
      await endOf(provider.stream(request({ tools: [tool('pick', { strict: true, parameters })] })));
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain('strict');
    },
    { name: 'groq' },
  );
});

test('nothing of a tool but its four wire fields reaches the body', async () => {
  verifies('providers.fields');
  const rich = tool('add', {
    title: 'Add',
    outputSchema: { type: 'number' },
    effect: 'read',
    metadata: { category: 'utility', tags: ['secret-tag'] },
    handler: 'not a function, but no business of the wire',
  });
  const body = await bodyOf({ tools: [rich] });
  expect(body['tools']).toEqual([encodeFunction(rich)]);
  expect(JSON.stringify(body)).not.toMatch(/secret-tag|effect|outputSchema|handler|title/);
});

test('the bytes of a conversation only grow: tools and old messages are the same text in every turn', async () => {
  verifies('providers.definitions.cache');
  const tools = Object.freeze([tool('add'), tool('sub')]);
  const first: readonly Message[] = [Object.freeze({ role: 'user', content: 'one' })];
  const second: readonly Message[] = [...first, Object.freeze({ role: 'user', content: 'two' })];
  await withServer({ replies: () => REPLY }, async ({ provider, server }) => {
    await endOf(provider.stream(request({ tools, messages: first })));
    await endOf(provider.stream(request({ tools, messages: second })));
    const [one, two] = server.requests.map(({ bytes }) => Buffer.from(bytes).toString('utf8'));
    expect(two?.startsWith(one?.slice(0, -2) ?? '-')).toBe(true);
  });
});

test('the tools are written once per list: getters of a schema are read in the first turn alone', async () => {
  verifies('providers.definitions.cache');
  let reads = 0;
  const parameters = {
    type: 'object',
    get properties() {
      reads += 1;
      return {};
    },
  };
  const tools = [tool('add', { parameters })];
  await withServer({ replies: () => REPLY }, async ({ provider }) => {
    await endOf(provider.stream(request({ tools })));
    const inFirstTurn = reads;
    for (let turn = 1; turn < 4; turn += 1) await endOf(provider.stream(request({ tools })));
    expect(reads).toBe(inFirstTurn);
  });
});

test.each([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'required'],
  [{ name: 'add' }, { type: 'function', function: { name: 'add' } }],
] as const)('toolChoice %j is sent as %j', async (toolChoice, expected) => {
  verifies('providers.toolChoice');
  expect((await bodyOf({ tools: [tool('add')], toolChoice }))['tool_choice']).toEqual(expected);
});

test('a toolChoice that the request does not offer throws before anything is sent', async () => {
  verifies('providers.toolChoice');
  await withServer({ replies: () => REPLY }, async ({ provider, server }) => {
    const error = await errorOf(provider.stream(request({ tools: [tool('add')], toolChoice: { name: 'adn' } })));
    expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(error.hint).toContain('Did you mean "add"?');
    for (const name of ['constructor', '__proto__']) {
      expect(await errorOf(provider.stream(request({ toolChoice: { name } })))).toMatchObject({
        code: 'TOOL_NOT_FOUND',
      });
    }
    expect(server.requests).toHaveLength(0);
  });
});

test('options are merged key by key, mapped, in both spellings; 0 and false are kept, null takes a default away', async () => {
  verifies('providers.options');
  const body = await bodyOf(
    {
      tools: [tool('add')],
      options: { temperature: 0, top_p: 0.5, parallelToolCalls: false, seed: 0, max_tokens: 7, top_k: 3, stop: null },
    },
    { options: { temperature: 1, maxTokens: 99, stop: ['x'], reasoning_effort: 'low', custom: { deep: true } } },
  );
  expect(body).toMatchObject({
    temperature: 0,
    top_p: 0.5,
    parallel_tool_calls: false,
    seed: 0,
    max_tokens: 7,
    top_k: 3,
    reasoning_effort: 'low',
    custom: { deep: true },
  });
  expect(body).not.toHaveProperty('stop');
  expect(body).not.toHaveProperty('maxTokens');
});

test('an option for which the request has a field is refused by name', async () => {
  await withServer({ replies: () => REPLY }, async ({ provider, server }) => {
    const error = await errorOf(provider.stream(request({ options: { messages: [] } })));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(error.message).toContain('options.messages');
    for (const key of ['toolChoice', 'tool_choice']) {
      const choice = await errorOf(provider.stream(request({ options: { [key]: 'auto' } })));
      expect(choice).toMatchObject({ code: 'CONFIG_INVALID' });
      expect(KernelError.is(choice) && choice.hint).toContain('set toolChoice of run() or of the request itself');
    }
    expect(server.requests).toHaveLength(0);
  });
});

test('a whole history is encoded: system, text, calls, results, a failed result with its mark', async () => {
  verifies('result.error.wire', 'agent.loop.message.tool');
  const call = { type: 'tool-call', id: 'a', name: 'add', arguments: '{"x":1}' } as const;
  const body = await bodyOf({
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Add.' },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, call, { ...call, id: 'b' }] },
      { role: 'tool', toolCallId: 'a', name: 'add', content: '2' },
      { role: 'tool', toolCallId: 'b', name: 'add', content: 'too big', isError: true },
      { role: 'assistant', content: [{ type: 'text', text: 'Two.' }] },
      { role: 'user', content: 'Thanks.' },
    ],
  });
  const wire = { type: 'function', function: { name: 'add', arguments: '{"x":1}' } };
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Add.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', ...wire },
        { id: 'b', ...wire },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: '2' },
    { role: 'tool', tool_call_id: 'b', content: 'Error: too big' },
    { role: 'assistant', content: 'Two.' },
    { role: 'user', content: 'Thanks.' },
  ]);
});

test('images go as URL or data URL with the detail of vision_options; other media in their own shapes', async () => {
  const body = await bodyOf({
    options: { vision_options: { detail: 'high' } },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', mimeType: 'image/png', url: 'https://example.com/a.png' },
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'audio', mimeType: 'audio/wav', data: 'BBBB' },
          { type: 'file', mimeType: 'application/pdf', data: 'CCCC', name: 'a.pdf' },
        ],
      },
    ],
  });
  expect(body.messages[0]?.['content']).toEqual([
    { type: 'text', text: 'Look.' },
    { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'high' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
    { type: 'input_audio', input_audio: { data: 'BBBB', format: 'wav' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,CCCC' } },
  ]);
  expect(body).not.toHaveProperty('vision_options');
});

test('media in a tool result become a text note, and media that the wire cannot carry throw before sending', async () => {
  const call = { type: 'tool-call', id: 'a', name: 'shot', arguments: '{}' } as const;
  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA', name: 'shot.png' } as const;
  const body = await bodyOf({
    messages: [
      { role: 'assistant', content: [call] },
      { role: 'tool', toolCallId: 'a', name: 'shot', content: [{ type: 'text', text: 'Done.' }, image] },
    ],
  });
  expect(body.messages[1]?.['content']).toMatch(/^Done\.\n\[image "shot\.png" \(image\/png\), left out/);
  await withServer({ replies: () => REPLY }, async ({ provider, server }) => {
    const video = { type: 'audio', mimeType: 'audio/x-odd', data: 'AAAA' } as const;
    const error = await errorOf(provider.stream(request({ messages: [{ role: 'user', content: [video] }] })));
    expect(error).toMatchObject({ code: 'PROVIDER_UNSUPPORTED' });
    expect(server.requests).toHaveLength(0);
  });
});

const message = (vendor: string): Message => ({
  role: 'assistant',
  content: [
    { type: 'reasoning', text: 'hm' },
    { type: 'tool-call', id: 'a', name: 'f', arguments: '{}', providerData: { google: { thought_signature: 's' } } },
  ],
  provider: { vendor, model: 'm' },
});

test('reasoning and vendor data go back only to the vendor that made them', async () => {
  const result: Message = { role: 'tool', toolCallId: 'a', name: 'f', content: 'x' };
  const config = { quirks: { reasoningField: 'reasoning_content' } };
  const own = await bodyOf({ messages: [message('openai'), result] }, config);
  expect(own.messages[0]).toMatchObject({
    reasoning_content: 'hm',
    tool_calls: [{ extra_content: { google: { thought_signature: 's' } } }],
  });
  const other = await bodyOf({ messages: [message('anthropic'), result] }, config);
  expect(JSON.stringify(other)).not.toMatch(/hm|thought_signature/);
});

test('a response format asks for JSON of its schema', async () => {
  const body = await bodyOf({ responseFormat: { name: 'sum', schema: CLOSED, strict: true } });
  expect(body['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'sum', schema: CLOSED, strict: true },
  });
});

test('a conversation that continues, branches off or shares its first message is encoded as if it were new', () => {
  const say = (content: string): Message => Object.freeze({ role: 'user', content });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(say) as [Message, Message, Message, Message];
  const open: { role: 'user'; content: string } = { role: 'user', content: 'open' };
  const settings = resolveChat({ name: 'openai' });
  const kept = createChatEncoder(settings);
  for (const messages of [[a], [a, b], [a, b, c], [a, c], [a], [a, c, d], [b, a], [a, c, d, open]]) {
    const asked = { model: 'm', messages };
    expect(String(kept(asked).body)).toBe(String(createChatEncoder(settings)(asked).body));
  }
  open.content = 'changed';
  expect(String(kept({ model: 'm', messages: [a, c, d, open] }).body)).toContain('changed');
});
