import { toolCallsOf } from '@kernel/protocol';
import { toEventStreamFrame, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, errorOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

async function bodyOf(more: Parameters<typeof request>[0]): Promise<Record<string, unknown>> {
  let body: unknown;
  await withWire('bedrock', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request(more)));
    body = server.requests[0]?.body;
  });
  return body as Record<string, unknown>;
}

test('a history is written as blocks: all results in the next user message, images inline, reasoning with its signature', async () => {
  verifies('providers.bedrock', 'providers.vision');
  const body = await bodyOf({ messages: history('bedrock', { signature: 'sig' }), tools: [ADD] });
  const image = { image: { format: 'png', source: { bytes: IMAGE.data } } };
  const use = { name: 'add', input: { x: 1 } };
  expect(body).toEqual({
    system: [{ text: 'Be brief.' }],
    toolConfig: {
      tools: [{ toolSpec: { name: 'add', description: 'Adds.', inputSchema: { json: ADD.parameters } } }],
    },
    messages: [
      { role: 'user', content: [{ text: 'Look.' }, image] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig' } } },
          { text: 'Let me see.' },
          { toolUse: { toolUseId: 'a', ...use } },
          { toolUse: { toolUseId: 'b', ...use } },
        ],
      },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', status: 'success', content: [{ text: '2' }, image] } },
          { toolResult: { toolUseId: 'b', status: 'error', content: [{ text: 'too big' }] } },
          { text: 'Go on.' },
        ],
      },
    ],
  });
});

test('requests are signed with SigV4 for the region, the path of the model encoded; a token goes as bearer instead', async () => {
  verifies('providers.bedrock', 'providers.auth');
  await withWire('bedrock', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request({ model: CLAUDE })));
    const [recorded] = server.requests;
    expect(recorded?.path).toBe('/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
    expect(recorded?.headers['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=[\w;-]*host[\w;-]*, Signature=[0-9a-f]{64}$/,
    );
    expect(recorded?.headers).toHaveProperty('x-amz-date');
    expect(recorded?.body).toMatchObject({ messages: [{ content: [{}, { cachePoint: { type: 'default' } }] }] });
  });
  await withWire(
    'bedrock',
    { replies: [{ text: 'ok' }], token: 'key-1' },
    async ({ provider, server }) => {
      await endOf(provider.stream(request()));
      expect(server.requests[0]?.headers).not.toHaveProperty('x-amz-date');
    },
    { token: 'key-1', credentials: undefined },
  );
});

test('a secret of the credentials is redacted from an error that echoes it', async () => {
  verifies('providers.auth.secret');
  await withWire(
    'bedrock',
    { replies: [{ status: 403, chunks: ['{"message":"bad verysecret"}'] }] },
    async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 403 } });
      expect(JSON.stringify(error)).not.toContain('verysecret');
    },
  );
});

test('credentials that cannot be fetched are CONFIG_INVALID, not an error of their own', async () => {
  const credentials = () => Promise.reject(new Error('no profile'));
  await withWire(
    'bedrock',
    { replies: [] },
    async ({ provider }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'CONFIG_INVALID' });
    },
    { credentials },
  );
});

test.each([
  ['throttlingException', 429, true],
  ['validationException', 400, false],
  ['modelStreamErrorException', 424, false],
])('%s as a frame after 200 is PROVIDER_HTTP %i with the text so far', async (type, status, retryable) => {
  verifies('providers.stream.cut', 'providers.bedrock');
  const frames = [
    toEventStreamFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'half' } }),
    toEventStreamFrame(type, { message: 'no more' }, 'exception'),
  ];
  await withWire('bedrock', { replies: [{ chunks: frames }] }, async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_HTTP', retryable, data: { status, partialText: 'half' } });
  });
});

test('a frame whose checksum does not match is PROVIDER_PROTOCOL', async () => {
  const damaged = Buffer.from(toEventStreamFrame('messageStop', { stopReason: 'end_turn' }));
  damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 1;
  await withWire('bedrock', { replies: [{ chunks: [damaged] }] }, async ({ provider }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
  });
});

test('a guardrail ends with filter and no runnable call; options and tool choice are written in the terms of the wire', async () => {
  verifies('providers.options', 'providers.toolChoice');
  const replies = [{ calls: [{ name: 'add' }], finishReason: 'content-filter' }] as const;
  await withWire('bedrock', { replies }, async ({ provider, server }) => {
    const end = await endOf(
      provider.stream(
        request({
          tools: [ADD],
          toolChoice: { name: 'add' },
          options: { maxTokens: 9, temperature: 0, stop: 'x', seed: 1 },
        }),
      ),
    );
    expect([end.finishReason, toolCallsOf(end.message)]).toEqual(['content-filter', []]);
    expect(end.warnings).toMatchObject([{ message: expect.stringContaining('seed') as unknown }]);
    expect(server.requests[0]?.body).toMatchObject({
      inferenceConfig: { maxTokens: 9, temperature: 0, stopSequences: ['x'] },
      toolConfig: { toolChoice: { tool: { name: 'add' } } },
    });
  });
});
