import { type Provider, wrapProvider } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { readCassette, replay, withRecorder } from '../../src/cassette/index.ts';
import { createProvider, withFallback, withRateLimit, withRetry, withTurnRetry, withUsage } from '../../src/index.ts';
import { detectTextCalls, withTextTools } from '../../src/text-tools/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADD, history } from '../history.ts';
import { endOf, errorOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

/** Where each wire counts. */
const PATHS = [
  ['openai-responses', '/v1/responses/input_tokens'],
  ['anthropic', '/v1/messages/count_tokens'],
  ['gemini', '/v1beta/models/claude-opus-4-5:countTokens'],
  ['bedrock', '/model/claude-opus-4-5/count-tokens'],
] as const;
const usage = { inputTokens: 42, outputTokens: 0 };
const asked = request({
  model: 'claude-opus-4-5',
  messages: history('any', {}),
  tools: [ADD],
  toolChoice: 'auto',
  options: { maxTokens: 100, temperature: 0.5 },
});

test.each(PATHS)('over %s the tokens of what would be sent are counted, at %s', async (wire, path) => {
  verifies('providers.countTokens');
  await withWire(wire, { replies: () => ({ text: 'ok', usage }) }, async ({ provider, server }) => {
    expect(await provider.countTokens?.(asked)).toEqual({ inputTokens: 42 });
    expect(server.requests[0]?.path).toBe(path);
    await endOf(provider.stream(asked));
    const [counted, sent] = server.requests.map(({ body }) => JSON.stringify(body));
    // The same messages, byte for byte.
    const messages = /"(?:messages|contents|input)":\[\{.*\}\]/.exec(sent ?? '')?.[0] ?? 'none';
    expect(counted).toContain(messages);
    expect(counted).toContain('"add"');
    expect(counted).not.toMatch(/"stream":|max_tokens|max_output_tokens|inferenceConfig/);
  });
});

test.each(['openai', 'azure', 'ollama'] as const)('%s counts no tokens, as its API does not', async (wire) => {
  verifies('providers.countTokens');
  await withWire(wire, {}, async ({ provider }) => expect(provider.countTokens).toBeUndefined());
});

test('a count that the vendor refuses, cuts or answers without a number is a typed error, and an abort its reason', async () => {
  verifies('providers.countTokens');
  const replies = [
    { status: 429, chunks: ['{"error":{"message":"slow down"}}'] },
    { headers: { 'content-type': 'application/json' }, chunks: ['{"input_tok'] },
    { headers: { 'content-type': 'application/json' }, chunks: ['{"input_tokens":"many"}'] },
    { headers: { 'content-type': 'application/json' }, chunks: ['{"input_tokens":-1}'] },
    { fault: { beforeHead: 'stall' } } as const,
  ];
  await withWire('anthropic', { replies }, async ({ provider }) => {
    const count = () => errorOf(provider.countTokens?.(asked) ?? Promise.resolve());
    expect(await count()).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 429 } });
    expect(await count()).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
    for (const _ of ['a text', 'a number below zero'])
      // oxlint-disable-next-line no-await-in-loop -- one answer after another
      expect(await count()).toMatchObject({
        code: 'PROVIDER_PROTOCOL',
        message: expect.stringContaining('input_tokens') as unknown,
      });
    const controller = new AbortController();
    const work = errorOf(provider.countTokens?.({ ...asked, signal: controller.signal }) ?? Promise.resolve());
    controller.abort(new Error('enough'));
    expect(await work).toMatchObject({ message: 'enough' });
  });
});

test('every wrapper passes counts on, and has none where the provider has none', async () => {
  verifies('providers.countTokens.wrapped');
  const wrappers: readonly ((provider: Provider) => Provider)[] = [
    withRetry,
    withTurnRetry,
    (provider) => withRateLimit(provider, { requestsPerMinute: 600 }),
    withUsage,
    (provider) => withFallback([chat(), provider]),
    (provider) => wrapProvider(provider, {}),
    (provider) => withRecorder(provider, () => undefined),
    detectTextCalls,
    (provider) => withTextTools(provider, 'hermes'),
  ];
  await withWire('anthropic', { replies: () => ({ usage }) }, async ({ provider, server }) => {
    for (const wrap of wrappers) {
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await wrap(provider).countTokens?.(asked)).toEqual({ inputTokens: 42 });
    }
    // Text tools are counted as the text that they become.
    expect(server.requests.at(-2)?.body).toHaveProperty('tools');
    expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain('tool_use');
  });
  const without = chat();
  for (const wrap of wrappers) expect(wrap(without).countTokens).toBeUndefined();
});

function chat(): Provider {
  return createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:1/v1' });
}

test('a count is recorded and replayed', async () => {
  verifies('providers.countTokens.wrapped');
  const folder = await mkdtemp(join(tmpdir(), 'counts-'));
  try {
    const file = join(folder, 'cassette.json');
    await withWire('anthropic', { replies: [{ usage }] }, async ({ provider }) => {
      await withRecorder(provider, file).countTokens?.(asked);
    });
    expect(await replay(await readCassette(file)).countTokens?.(asked)).toEqual({ inputTokens: 42 });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a request is retried, and another candidate asked, when a count fails', async () => {
  verifies('providers.countTokens.wrapped');
  const overloaded = { status: 529, chunks: ['{}'] };
  await withWire(
    'anthropic',
    { replies: [overloaded, { usage }, overloaded, { usage }] },
    async ({ provider, server }) => {
      expect(await withRetry(provider, { initialBackoffMs: 0 }).countTokens?.(asked)).toEqual({ inputTokens: 42 });
      expect(await withFallback([provider, provider]).countTokens?.(asked)).toEqual({ inputTokens: 42 });
      expect(server.requests).toHaveLength(4);
    },
  );
});
