import type { Message, ProviderRequest } from '@kernel/protocol';
import { verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { ADD, history } from '../history.ts';
import { sentOver } from '../sent.ts';
import { endOf, errorOf, request } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

const CLAUDE = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const more = { model: CLAUDE, messages: history('any', {}), tools: [ADD] };

function count(body: unknown, text: string): number {
  return JSON.stringify(body).split(text).length - 1;
}

describe('a ttl of an hour', () => {
  test.each([
    ['anthropic', '"cache_control":{"type":"ephemeral","ttl":"1h"}'],
    ['bedrock', '"cachePoint":{"type":"default","ttl":"1h"}'],
  ] as const)('is in every mark of %s', async (wire, mark) => {
    verifies('providers.cache.ttl');
    const { body, warnings } = await sentOver(wire, { ...more, cache: { ttl: '1h' } });
    expect([count(body, mark), count(body, '"cache_control"') + count(body, '"cachePoint"'), warnings]).toEqual([
      3,
      3,
      '',
    ]);
    const day = await sentOver(wire, { ...more, cache: { ttl: '24h' } });
    expect([count(day.body, mark), day.warnings]).toEqual([3, expect.stringContaining('"24h" is sent as "1h"')]);
    const short = await sentOver(wire, { ...more, cache: { ttl: '5m' } });
    expect(short).toEqual(await sentOver(wire, more));
  });

  test.each(['azure', 'openai-responses'] as const)(
    'is a retention of a day on %s, for models that have it',
    async (wire) => {
      verifies('providers.cache.ttl');
      const sent = (model: string, ttl: '5m' | '1h' | '24h') => sentOver(wire, { model, cache: { ttl } });
      expect(await sent('gpt-5.4', '24h')).toMatchObject({ body: { prompt_cache_retention: '24h' }, warnings: '' });
      expect(await sent('gpt-4.1', '1h')).toMatchObject({
        body: { prompt_cache_retention: '24h' },
        warnings: expect.stringContaining('"1h" is sent as "24h"'),
      });
      const old = await sent('gpt-4o', '24h');
      expect(old.body).not.toHaveProperty('prompt_cache_retention');
      expect(old.warnings).toContain('cache.ttl "24h" is left out');
      const short = await sent('gpt-4o', '5m');
      expect([short.body['prompt_cache_retention'], short.warnings]).toEqual([undefined, '']);
    },
  );
});

describe('marks', () => {
  const messages = [
    ...history('any', {}),
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    { role: 'user', content: 'And now?' },
  ] as const;

  test.each([
    [['tools'], [1, 0, []]],
    [
      ['system', 'messages'],
      [0, 1, [4]],
    ],
    [
      ['messages', 'previous'],
      [0, 0, [2, 4]],
    ],
    [
      ['tools', 'system', 'previous', 'messages'],
      [1, 1, [2, 4]],
    ],
    [[], [0, 0, []]],
  ] as const)('are where the points %j say', async (points, [tools, system, at]) => {
    verifies('providers.cache.points');
    for (const [wire, mark] of [
      ['anthropic', 'cache_control'],
      ['bedrock', 'cachePoint'],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one wire after another
      const { body, warnings } = await sentOver(wire, { ...more, messages, cache: { points } });
      expect(warnings).toBe('');
      expect([count(body['tools'] ?? body['toolConfig'], mark), count(body['system'], mark)]).toEqual([tools, system]);
      const marked = (body['messages'] as readonly unknown[]).map((message) => count(message, mark));
      expect(marked.flatMap((marks, index) => (marks === 1 ? [index] : []))).toEqual(at);
      // At the end of their message.
      for (const index of at) {
        const { content } = (body['messages'] as readonly { content: readonly object[] }[])[index] ?? { content: [] };
        expect(content.at(-1)).toHaveProperty(mark);
      }
    }
  });

  test('are not set on Bedrock for a model that would refuse them', async () => {
    const { body, warnings } = await sentOver('bedrock', { ...more, model: 'meta.llama', cache: { ttl: '1h' } });
    expect([count(body, 'cachePoint'), warnings]).toEqual([0, expect.stringContaining('cache.ttl is left out')]);
  });
});

test('a key is sent where the vendor has keys', async () => {
  verifies('providers.cache.key');
  const cache = { key: 'chat-7' };
  for (const wire of ['azure', 'openai-responses'] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one wire after another
    const { body, warnings } = await sentOver(wire, { cache });
    expect([body['prompt_cache_key'], warnings]).toEqual(['chat-7', '']);
  }
  const server = { quirks: { promptCache: true } };
  expect((await sentOver('openai', { cache }, server)).body).toMatchObject({ prompt_cache_key: 'chat-7' });
});

describe('marks of OpenAI', () => {
  const NEW = 'gpt-5.6';
  const QUIRKS = { quirks: { promptCache: true } };
  const messages = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look.' },
        { type: 'image', mimeType: 'image/png', data: 'AA==' },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 'add', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'a', name: 'add', content: '2' },
  ] as const;
  const ask = (wire: 'openai' | 'openai-responses', cache: ProviderRequest['cache'], model = NEW) =>
    sentOver(
      wire,
      { model, messages, tools: [ADD], cache, ...(wire === 'openai' ? { options: { reasoningEffort: 'none' } } : {}) },
      wire === 'openai' ? QUIRKS : {},
    );
  const markedAt = (body: Record<string, unknown>): readonly number[] =>
    ((body['messages'] ?? body['input']) as readonly object[]).flatMap((item, at) =>
      JSON.stringify(item).includes('"prompt_cache_breakpoint":{"mode":"explicit"}') ? [at] : [],
    );

  test.each(['openai', 'openai-responses'] as const)(
    'are where the points say on %s, at the end of their message',
    async (wire) => {
      verifies('providers.cache.points');
      const { body, warnings } = await ask(wire, { points: ['system', 'previous', 'messages'] });
      expect([markedAt(body), body['prompt_cache_options'], warnings]).toEqual([[0, 1, 3], { mode: 'explicit' }, '']);
      const [system, user, , result] = (body['messages'] ?? body['input']) as Record<string, unknown>[];
      const mark = { prompt_cache_breakpoint: { mode: 'explicit' } };
      const type = wire === 'openai' ? 'text' : 'input_text';
      expect(system?.['content']).toEqual([{ type, text: 'Be brief.', ...mark }]);
      const parts = user?.['content'] as readonly object[];
      expect([parts.length, parts[0], parts[1]]).toEqual([2, { type, text: 'Look.' }, expect.objectContaining(mark)]);
      expect(result?.['content'] ?? result?.['output']).toEqual([{ type, text: '2', ...mark }]);
    },
  );

  test.each(['openai', 'openai-responses'] as const)(
    'are none on %s without points, or with a cache that is off',
    async (wire) => {
      verifies('providers.cache.points');
      const auto = await ask(wire, 'auto');
      expect([markedAt(auto.body), auto.body['prompt_cache_options'] ?? null]).toEqual([[], null]);
      for (const cache of ['off', { points: [] }] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one request after another
        const { body, warnings } = await ask(wire, cache);
        expect([markedAt(body), body['prompt_cache_options'], warnings]).toEqual([[], { mode: 'explicit' }, '']);
      }
      const tools = await ask(wire, { points: ['tools'] });
      expect([markedAt(tools.body), tools.warnings]).toEqual([[], expect.stringContaining('cache.points "tools"')]);
    },
  );

  test.each(['gpt-5.5', 'gpt-5', 'gpt-4.1', 'gpt-55', 'o3', 'gpt-5.61-x'])(
    'are left out for %s as its name says',
    async (model) => {
      verifies('providers.cache.warned');
      const takes = model === 'gpt-55' || model === 'gpt-5.61-x';
      const { body, warnings } = await ask('openai-responses', { points: ['messages'] }, model);
      expect([markedAt(body).length, warnings.includes('cache.points is left out')]).toEqual([takes ? 1 : 0, !takes]);
      const off = await ask('openai-responses', 'off', model);
      expect('prompt_cache_options' in off.body).toBe(takes);
    },
  );

  test('stay with their request: the next one of the same messages has none', async () => {
    verifies('providers.cache.points');
    const frozen = messages.map((message) => Object.freeze({ ...message })) as readonly Message[];
    await withWire(
      'openai-responses',
      { replies: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] },
      async ({ provider, server }) => {
        for (const cache of [{ points: ['messages'] }, 'auto', { points: ['system'] }] as const)
          // oxlint-disable-next-line no-await-in-loop -- one request after another
          await endOf(provider.stream({ model: NEW, messages: frozen, tools: [ADD], cache }));
        expect(server.requests.map(({ body }) => markedAt(body as Record<string, unknown>))).toEqual([[3], [], [0]]);
      },
    );
  });

  test('the tokens that were written to the cache are counted', async () => {
    verifies('providers.cache.written');
    const details = { cached_tokens: 5, cache_write_tokens: 7 };
    const chat = { prompt_tokens: 20, completion_tokens: 1, prompt_tokens_details: details };
    const responses = { input_tokens: 20, output_tokens: 1, input_tokens_details: details };
    const expected = { inputTokens: 20, cachedInputTokens: 5, cacheWriteTokens: 7 };
    const usages = [
      ['openai', { choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }], usage: chat }],
      ['openai-responses', { status: 'completed', output: [], usage: responses }],
    ] as const;
    for (const [wire, body] of usages) {
      const raw = { headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] };
      // oxlint-disable-next-line no-await-in-loop -- one wire after another
      await withWire(wire, { replies: [raw] }, async ({ provider }) => {
        expect((await endOf(provider.stream(request({ stream: false })))).usage).toMatchObject(expected);
      });
    }
  });
});

test('cached content stands for the system prompt and the tools, whose calls are still read', async () => {
  verifies('providers.cache.content');
  const tools = [{ ...ADD, name: 'add numbers' }];
  const { body } = await sentOver('gemini', { tools });
  const [declared] =
    (body as { tools: { functionDeclarations: { name: string }[] }[] }).tools[0]?.functionDeclarations ?? [];
  const replies = [{ calls: [{ name: declared?.name ?? '' }] }];
  await withWire('gemini', { replies }, async ({ provider, server }) => {
    const messages = [{ role: 'system', content: 'Long.' } as const, ...request().messages];
    const asked = request({ messages, tools, toolChoice: 'required', cache: { content: 'abc' } });
    const { message, warnings } = await endOf(provider.stream(asked));
    expect(server.requests[0]?.body).toEqual({
      cachedContent: 'cachedContents/abc',
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
    });
    expect(message.content).toEqual([expect.objectContaining({ type: 'tool-call', name: 'add numbers' })]);
    expect(warnings?.map((warning) => warning.message)).toEqual([expect.stringContaining('toolChoice is left out')]);
  });
});

test.each(WIRES.map(([wire]) => wire))('what the wire %s cannot say is left out with a warning', async (wire) => {
  verifies('providers.cache.warned');
  const TAKES: Partial<Record<WireName, readonly string[]>> = {
    azure: ['ttl', 'key'],
    'openai-responses': ['ttl', 'key'],
    anthropic: ['ttl', 'points'],
    bedrock: ['ttl', 'points'],
    gemini: ['content'],
  };
  const given = { ttl: '5m', points: ['tools'], key: 'k', content: 'cachedContents/c' } as const;
  const { warnings } = await sentOver(wire, { ...more, cache: given });
  const left = Object.keys(given).filter((name) => !(TAKES[wire] ?? []).includes(name));
  expect(warnings.split('\n').filter((text) => text.startsWith('cache.'))).toEqual(
    left.map((name) => `cache.${name} is left out: this API does not have it`),
  );
});

test.each([
  ['on', /cache must be one of/],
  [{ ttl: '2h' }, /cache\.ttl must be one of "5m", "1h", "24h"/],
  [{ points: ['tool'] }, /cache\.points must be one of/],
  [{ points: 'tools' }, /cache\.points must be an array/],
  [{ key: '' }, /cache\.key must be a non-empty string/],
  [{ content: 7 }, /cache\.content must be a non-empty string/],
  [{ lifetime: '1h' }, /lifetime/],
])('the cache %j is refused before anything is sent', async (cache, message) => {
  verifies('providers.cache.checked');
  await withWire('openai', {}, async ({ provider, server }) => {
    const error = await errorOf(provider.stream(request({ cache: cache as never })));
    expect([error.code, server.requests.length]).toEqual(['CONFIG_INVALID', 0]);
    expect(error.message).toMatch(message);
  });
});
