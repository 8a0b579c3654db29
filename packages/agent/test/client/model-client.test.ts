import { KernelError, type Provider, type ProviderEvent, textOf, type Tool } from '@kernel/protocol';
import {
  audioProvider,
  chatProvider,
  embeddingsProvider,
  failingProvider,
  mockTool,
  mockToolset,
  multiProtocolProvider,
  scriptedProvider,
  streamingChatProvider,
  streamingToolsProvider,
  toolsProvider,
  verifies,
} from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createModelClient, createModelClients } from '../../src/client/index.ts';
import { collect, run } from '../../src/index.ts';
import { mockModelClient } from '../../src/testing.ts';
import { user } from '../support.ts';

const usage = { inputTokens: 3, outputTokens: 2 };
const png = 'data:image/png;base64,iVBORw0KGgo=';
const audio = { data: new Uint8Array(4), mimeType: 'audio/wav', name: 'a.wav' };
const tool: Tool = Object.freeze({ name: 'add', description: 'Adds.', parameters: { type: 'object' } });

async function textsOf(events: AsyncIterable<ProviderEvent>): Promise<string[]> {
  const texts: string[] = [];
  for await (const event of events) if (event.type === 'text-delta') texts.push(event.text);
  return texts;
}

test('each mock provider is made by one call, and wraps in a model client', async () => {
  verifies('mocks.agent', 'agent.protocols.chat', 'agent.protocols.tools', 'agent.protocols.embed');
  expect(await mockModelClient(chatProvider('Hi', usage)).chat('Hello')).toMatchObject({
    text: 'Hi',
    usage,
    calls: [],
  });
  expect(await textsOf(mockModelClient(streamingChatProvider(['H', 'i'])).chatStream('Hello'))).toEqual(['H', 'i']);
  const call = { name: 'add', arguments: { a: 1 } };
  expect((await mockModelClient(toolsProvider([call])).tools('1 + 1', [tool])).calls).toMatchObject([
    { name: 'add', arguments: '{"a":1}' },
  ]);
  const pieces: string[] = [];
  for await (const event of mockModelClient(streamingToolsProvider([call])).toolsStream('1 + 1', [tool]))
    if (event.type === 'tool-call-delta') pieces.push(event.arguments);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe('{"a":1}');
  expect((await mockModelClient(embeddingsProvider([[1, 2]])).embed('a')).embeddings).toEqual([
    { index: 0, vector: [1, 2] },
  ]);
  expect(await mockModelClient(audioProvider('spoken')).transcribe(audio)).toEqual({ text: 'spoken' });
  const error = new KernelError('PROVIDER_HTTP', 'The server answered 500.');
  await expect(mockModelClient(failingProvider(error)).chat('Hello')).rejects.toBe(error);
  const many = mockModelClient(
    multiProtocolProvider({ text: 'Hi', calls: [call], embeddings: [[1]], transcript: 'spoken' }),
  );
  expect((await many.chat('Hello')).calls).toHaveLength(0);
  expect((await many.tools('Hello', [tool])).calls).toHaveLength(1);
  expect((await many.embed(['a'])).embeddings).toHaveLength(1);
  expect((await many.transcribe(audio)).text).toBe('spoken');
  expect((await many.chat('Again')).text).toBe('Hi');
});

describe('messages', () => {
  test('chat takes a text as one user message, or a whole list, and sends the system prompt once', async () => {
    verifies('agent.protocols.chat', 'agent.loop.system');
    const provider = chatProvider('Hi');
    const client = createModelClient({ provider, model: 'm', system: 'Be brief.' });
    await client.chat('Hello');
    await client.chat([
      { role: 'system', content: 'Old.' },
      user('One'),
      { role: 'assistant', content: [{ type: 'text', text: 'Two' }] },
      user('Three'),
    ]);
    expect(provider.streamRequests.map((request) => request.messages.map(textOf))).toEqual([
      ['Be brief.', 'Hello'],
      ['Be brief.', 'One', 'Two', 'Three'],
    ]);
    expect(provider.streamRequests.map((request) => request.stream)).toEqual([false, false]);
  });

  test('vision puts the images on the last user message', async () => {
    verifies('agent.protocols.vision');
    const provider = chatProvider('A cat.');
    const client = createModelClient({ provider, model: 'm' });
    await client.vision([user('One'), user('What is it?')], [png, 'https://example.com/a.png']);
    await textsOf(client.visionStream('What is it?', [{ type: 'image', mimeType: 'image/png', data: 'AA==' }]));
    expect(provider.streamRequests[0]?.messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
        { type: 'image', mimeType: 'image/*', url: 'https://example.com/a.png' },
      ],
    });
    expect(provider.streamRequests[1]?.messages.at(-1)?.content).toHaveLength(2);
    for (const images of [[], ['no-image'], ['file:///etc/passwd']])
      await expect(client.vision('What?', images)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(client.vision([], [png])).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(provider.requests).toHaveLength(2);
  });

  test('tools passes on the very tools that it was given', async () => {
    verifies('agent.protocols.tools');
    const provider = toolsProvider([{ name: 'add' }]);
    const tools = Object.freeze([tool]);
    await createModelClient({ provider, model: 'm' }).tools('1 + 1', tools, { toolChoice: 'required' });
    expect(provider.streamRequests[0]?.tools).toBe(tools);
    expect(provider.streamRequests[0]?.toolChoice).toBe('required');
  });

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'add' }, { name: 'add' }],
    [{ type: 'function', function: { name: 'add' } }, { name: 'add' }],
  ])('tools takes tool_choice %o of its capability, or of the request, as the tool choice', async (written, choice) => {
    verifies('agent.protocols.toolChoice');
    const provider = toolsProvider([{ name: 'add' }]);
    const ofCapability = createModelClient({
      provider,
      model: 'm',
      capabilities: { tools: { tool_choice: written, seed: 1 } },
    });
    await ofCapability.tools('1 + 1', [tool]);
    await ofCapability.tools('1 + 1', [tool], { toolChoice: 'auto' });
    await createModelClient({ provider, model: 'm' }).tools('1 + 1', [tool], { options: { tool_choice: written } });
    expect(provider.streamRequests.map(({ toolChoice }) => toolChoice)).toEqual([choice, 'auto', choice]);
    expect(provider.streamRequests.map(({ options }) => options)).toEqual([{ seed: 1 }, { seed: 1 }, {}]);
  });

  test.each(['always', 3, { function: 'add' }, ['add']])(
    'tool_choice %o is refused, and says what to write',
    async (written) => {
      verifies('agent.protocols.toolChoice');
      const provider = toolsProvider([]);
      const client = createModelClient({ provider, model: 'm', options: { tool_choice: written } });
      await expect(client.tools('1 + 1', [tool])).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        hint: 'Write "auto", "none", "required" or { "name": "…" }.',
      });
      expect(provider.requests).toHaveLength(0);
    },
  );

  test('chat offers no tools, and a tool choice of the options has nothing to choose from', async () => {
    verifies('agent.protocols.toolChoice');
    const provider = chatProvider('Hi');
    await createModelClient({ provider, model: 'm', options: { tool_choice: 'auto' } }).chat('Hello');
    expect(provider.streamRequests[0]).not.toHaveProperty('toolChoice');
    expect(provider.streamRequests[0]).not.toHaveProperty('tools');
    expect(provider.streamRequests[0]?.options).toEqual({});
  });
});

test('options merge key by key: the client’s, then the capability’s, then the request’s; 0 and false are kept', async () => {
  verifies('agent.protocols.options');
  const provider = multiProtocolProvider({ text: 'Hi', embeddings: [[1]], transcript: 'x' });
  const client = createModelClient({
    provider,
    model: 'm',
    options: { a: 1, b: 1, c: 1 },
    capabilities: {
      chat: { b: 2, c: 2 },
      vision: { detail: 'low' },
      tools: { seed: 0 },
      embeddings: { dimensions: 8 },
      audio: { language: 'de' },
    },
  });
  await client.chat('Hi', { options: { c: 0, d: false } });
  await client.vision('Hi', [png]);
  await client.tools('Hi', [tool]);
  await client.embed('Hi');
  await client.transcribe(audio);
  expect(provider.requests.map((request) => request.options)).toEqual([
    { a: 1, b: 2, c: 0, d: false },
    { a: 1, b: 1, c: 1, detail: 'low' },
    { a: 1, b: 1, c: 1, seed: 0 },
    { a: 1, b: 1, c: 1, dimensions: 8 },
    { a: 1, b: 1, c: 1, language: 'de' },
  ]);
});

test('a capability or a stream that the provider or the model lacks throws before any request', async () => {
  verifies('agent.protocols.unsupported');
  const requests: unknown[] = [];
  const bare: Provider = {
    name: 'bare',
    stream: (request) => {
      requests.push(request);
      throw new Error('asked');
    },
  };
  const unsupported = { code: 'PROVIDER_UNSUPPORTED' };
  const plain = createModelClient({ provider: bare, model: 'm' });
  await expect(plain.embed('a')).rejects.toMatchObject(unsupported);
  await expect(plain.transcribe(audio)).rejects.toMatchObject(unsupported);
  const limited = createModelClient({ provider: bare, model: 'm', capabilities: { chat: { stream: false } } });
  await expect(limited.vision('a', [png])).rejects.toMatchObject({
    ...unsupported,
    hint: 'Its capabilities are chat.',
  });
  await expect(limited.tools('a', [tool])).rejects.toMatchObject(unsupported);
  expect(() => limited.chatStream('a')).toThrow(expect.objectContaining(unsupported));
  expect(requests).toHaveLength(0);
});

test('run uses the tools, the limits and the system prompt of the client', async () => {
  const tools = mockToolset([mockTool('a', 'x')]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'Done.' }]);
  const client = createModelClient({
    provider,
    model: 'm',
    tools,
    system: 'Be brief.',
    limits: { turns: 2 },
    options: { temperature: 0 },
  });
  const result = await collect(client.run('Go'));
  expect(result).toMatchObject({ reason: 'done', answer: 'Done.' });
  expect(result.messages.map(textOf).slice(0, 2)).toEqual(['Be brief.', 'Go']);
  expect(provider.streamRequests[0]?.options).toEqual({ temperature: 0 });
});

test('named clients are created once, at their first use; an unknown name throws with the known ones', () => {
  let made = 0;
  const clients = createModelClients({
    writer: () => {
      made += 1;
      return mockModelClient(chatProvider('Hi'));
    },
    coder: () => mockModelClient(chatProvider('Hi')),
  });
  expect(made).toBe(0);
  expect(clients.get('writer')).toBe(clients.get('writer'));
  expect(made).toBe(1);
  expect(clients.names).toEqual(['coder', 'writer']);
  for (const name of ['editor', 'constructor', '__proto__'])
    expect(() => clients.get(name)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: 'Known: coder, writer.' }),
    );
});

test('run forces a call with toolChoice in its first reply only, so that it can end', async () => {
  verifies('agent.loop.toolChoice');
  const tools = mockToolset([mockTool('a', 'x')]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'Done.' }]);
  const client = createModelClient({
    provider,
    model: 'm',
    tools,
    capabilities: { tools: { tool_choice: 'required' } },
  });
  expect(await collect(client.run('Go'))).toMatchObject({ reason: 'done', answer: 'Done.' });
  expect(provider.streamRequests.map(({ toolChoice }) => toolChoice)).toEqual(['required', undefined]);
});

test('run forbids calls in every reply with toolChoice none, and sends no choice where there are no tools', async () => {
  verifies('agent.loop.toolChoice');
  const tools = mockToolset([mockTool('a', 'x')]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'Done.' }, { text: 'Done.' }]);
  const messages = [user('Go')];
  await collect(run({ provider, model: 'm', messages, tools, toolChoice: 'none' }));
  await collect(run({ provider, model: 'm', messages, toolChoice: 'required' }));
  expect(provider.streamRequests.map(({ toolChoice }) => toolChoice)).toEqual(['none', 'none', undefined]);
});
