import { type Message, type Provider, type ProviderRequest, textOf, type Usage } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { freezeMessage } from '../../src/history/messages.ts';
import { collect, estimateTokens, run, withClearedResults, withCompaction } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const turn = (index: number, length = 2000): Message[] =>
  [
    user(`Question ${index}`),
    { role: 'assistant', content: [{ type: 'tool-call', id: `${index}`, name: 'read', arguments: '{}' }] } as const,
    { role: 'tool', toolCallId: `${index}`, name: 'read', content: 'x'.repeat(length) } as const,
    { role: 'assistant', content: [{ type: 'text', text: `Answer ${index}` }] } as const,
  ].map((message) => freezeMessage(message));
const history = (turns: number): Message[] => Array.from({ length: turns }, (_, index) => turn(index)).flat();

async function send(provider: Provider, messages: readonly Message[]): Promise<void> {
  const request: ProviderRequest = { model: 'm', messages };
  for await (const event of provider.stream(request)) void event;
}

describe('estimateTokens', () => {
  test('is near four characters a token for English, two for other scripts, and counts calls and media', () => {
    expect(estimateTokens(user('x'.repeat(4000)))).toBe(1004);
    expect(estimateTokens(user('世'.repeat(100)))).toBe(54);
    expect(
      estimateTokens({ role: 'assistant', content: [{ type: 'tool-call', id: '1', name: 'a', arguments: '{"a":1}' }] }),
    ).toBeGreaterThan(5);
    expect(
      estimateTokens({ role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: '' }] }),
    ).toBeGreaterThan(500);
  });
});

describe('withClearedResults', () => {
  const replies = (count: number): ScriptStep[] => Array.from({ length: count }, () => ({ text: 'ok' }));

  test('sends old results as a note, keeps the newest and changes nothing of the history', async () => {
    const inner = scriptedProvider(replies(1));
    const messages = history(5);
    await send(withClearedResults(inner, { keep: 2, step: 1 }), messages);
    const sent = inner.streamRequests[0]?.messages ?? [];
    expectSound(sent);
    expect(
      sent.filter(({ role }) => role === 'tool').map((message) => textOf(message).includes('was cleared')),
    ).toEqual([true, true, true, false, false]);
    expect(messages.every((message) => !textOf(message).includes('was cleared'))).toBe(true);
  });

  test('clears in steps and with the same objects, so that the prefix changes seldom', async () => {
    const inner = scriptedProvider(replies(6));
    const provider = withClearedResults(inner, { keep: 1, step: 3 });
    const messages = history(7);
    for (let turns = 2; turns <= 7; turns += 1) await send(provider, messages.slice(0, turns * 4));
    const firsts = inner.streamRequests.map((request) => request.messages[2]);
    expect(new Set(firsts).size).toBe(2);
    expect(
      inner.streamRequests.map(
        ({ messages: sent }) => sent.filter((message) => textOf(message).includes('was cleared')).length,
      ),
    ).toEqual([0, 0, 3, 3, 3, 6]);
  });

  test('by default, clears the oldest of three results as soon as two are kept', async () => {
    const inner = scriptedProvider(replies(1));
    await send(withClearedResults(inner, { keep: 2 }), history(3));
    const sent = inner.streamRequests[0]?.messages ?? [];
    expect(sent.filter((message) => textOf(message).includes('was cleared')).length).toBe(1);
  });

  test('leaves short results and short histories alone', async () => {
    const inner = scriptedProvider(replies(2));
    const short = [...turn(0, 10), ...turn(1, 10)];
    await send(withClearedResults(inner, { keep: 0, step: 1 }), short);
    expect(inner.streamRequests[0]?.messages).toEqual(short);
  });
});

describe('withCompaction', () => {
  const summarize = (seen: (readonly Message[])[]) => (messages: readonly Message[]) => {
    seen.push(messages);
    return Promise.resolve(`${messages.length} messages`);
  };

  test('sends a summary in the place of the oldest messages, keeps the system prompt and every call with its results', async () => {
    const seen: (readonly Message[])[] = [];
    const inner = scriptedProvider(Array.from({ length: 30 }, () => ({ text: 'ok' })));
    for (let keepTokens = 0; keepTokens <= 3000; keepTokens += 100) {
      if (keepTokens === 3000) break;
      const provider = withCompaction(inner, {
        maxTokens: 1500,
        keepTokens: Math.min(keepTokens, 1400),
        summarize: summarize(seen),
      });
      await send(provider, [{ role: 'system', content: 'Be brief.' }, ...history(6)]);
    }
    for (const { messages } of inner.streamRequests) {
      expectSound(messages);
      expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
      expect(textOf(messages[1] as Message)).toMatch(/^Summary of the conversation so far:\n\d+ messages$/);
      expect(messages.length).toBeLessThan(24);
    }
  });

  test('makes a summary once and keeps the prefix until the rest has grown too long again', async () => {
    const seen: (readonly Message[])[] = [];
    const inner = scriptedProvider(Array.from({ length: 12 }, () => ({ text: 'ok' })));
    const provider = withCompaction(inner, { maxTokens: 3000, keepTokens: 1000, summarize: summarize(seen) });
    const messages = history(12);
    for (let turns = 1; turns <= 12; turns += 1) await send(provider, messages.slice(0, turns * 4));
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.length).toBeLessThan(6);
    expect(seen[1]?.[0] && textOf(seen[1][0])).toContain('Summary of the conversation');
    const prefixes = inner.streamRequests
      .map((request) => request.messages[0])
      .filter((message) => message !== undefined && textOf(message).startsWith('Summary'));
    expect(new Set(prefixes).size).toBe(seen.length);
    for (const request of inner.streamRequests) expectSound(request.messages);
  });

  test('asks the wrapped provider by default, and passes short histories on as they are', async () => {
    const inner = scriptedProvider([{ text: 'short' }, { text: 'They talked.' }, { text: 'ok' }]);
    const provider = withCompaction(inner, { maxTokens: 1500 });
    const short = history(1);
    await send(provider, short);
    expect(inner.streamRequests[0]?.messages).toBe(short);
    await send(provider, history(6));
    expect(textOf(inner.streamRequests[1]?.messages[0] as Message)).toContain('Summarize this conversation');
    expect(textOf(inner.streamRequests[2]?.messages[0] as Message)).toContain('They talked.');
  });

  test('a summary that cannot be made throws', async () => {
    const inner = scriptedProvider([{ calls: [{ name: 'a' }] }]);
    await expect(send(withCompaction(inner, { maxTokens: 100 }), history(6))).rejects.toMatchObject({
      code: 'PROVIDER_PROTOCOL',
    });
  });

  const conversation = (topic: string): Message[] => [freezeMessage(user(topic)), ...history(12)];
  const options = { maxTokens: 3000, keepTokens: 1000 };

  test('two conversations in turn through one provider cost as many summaries as through two', async () => {
    verifies('agent.compaction.content');
    const alone: (readonly Message[])[] = [];
    const together: (readonly Message[])[] = [];
    const create = (seen: (readonly Message[])[]): Provider =>
      withCompaction(scriptedProvider([{ text: 'ok' }], { repeat: true }), { ...options, summarize: summarize(seen) });
    const both = create(together);
    const each = new Map(['Cats', 'Dogs'].map((topic) => [topic, create(alone)]));
    for (let turns = 1; turns <= 12; turns += 1)
      for (const [topic, provider] of each) {
        const messages = conversation(topic).slice(0, turns * 4 + 1);
        await send(provider, messages);
        await send(both, messages);
      }
    expect(alone.length).toBeGreaterThan(2);
    expect(together.length).toBe(alone.length);
  });

  test('a history that is loaded again is not summarized again, and neither is one whose summaries were saved', async () => {
    const seen: (readonly Message[])[] = [];
    const summaries = new Map<string, string>();
    const create = (): Provider =>
      withCompaction(scriptedProvider([{ text: 'ok' }], { repeat: true }), {
        ...options,
        summarize: summarize(seen),
        summaries,
      });
    const provider = create();
    await send(provider, conversation('Cats'));
    expect(seen.length).toBe(1);
    await send(provider, structuredClone(conversation('Cats')));
    await send(create(), structuredClone(conversation('Cats')));
    expect(seen.length).toBe(1);
    await send(provider, conversation('Dogs'));
    expect(seen.length).toBe(2);
  });

  test('adds what a summary cost to the usage of the reply, once', async () => {
    const usage = { inputTokens: 900, outputTokens: 40 };
    const inner = scriptedProvider([
      { text: 'They talked.', usage },
      { text: 'ok', usage: { inputTokens: 5, outputTokens: 1 } },
      { text: 'ok', usage: { inputTokens: 6, outputTokens: 1 } },
    ]);
    const provider = withCompaction(inner, options);
    expect(await usageOf(provider, conversation('Cats'))).toMatchObject({ inputTokens: 905, outputTokens: 41 });
    expect(await usageOf(provider, conversation('Cats'))).toMatchObject({ inputTokens: 6, outputTokens: 1 });
  });

  test('what summaries without text cost is added to the next reply, estimated where it was not reported', async () => {
    const inner = scriptedProvider([
      { text: '', usage: { inputTokens: 900, outputTokens: 40 } },
      { text: 'They talked.', usage: { inputTokens: 800, outputTokens: 30 } },
      { text: 'ok', usage: { inputTokens: 5, outputTokens: 1 } },
      { calls: [{ name: 'a' }] },
      { text: 'They talked.', usage: { inputTokens: 0, outputTokens: 0 } },
      { text: 'ok', usage: { inputTokens: 0, outputTokens: 0 } },
    ]);
    const provider = withCompaction(inner, options);
    await expect(usageOf(provider, conversation('Cats'))).rejects.toThrow('no summary');
    expect(await usageOf(provider, conversation('Cats'))).toMatchObject({ inputTokens: 1705, outputTokens: 71 });
    await expect(usageOf(provider, conversation('Dogs'))).rejects.toThrow('no summary');
    expect((await usageOf(provider, conversation('Dogs')))?.inputTokens).toBeGreaterThan(1000);
  });

  test('a reply without a usage counts as estimated beside its summary', async () => {
    const inner = scriptedProvider([
      { text: 'They talked.', usage: { inputTokens: 900, outputTokens: 40 } },
      { text: 'ok' },
    ]);
    const usage = await usageOf(withCompaction(inner, options), conversation('Cats'));
    expect(usage?.inputTokens).toBeGreaterThan(1400);
    expect(usage?.outputTokens).toBeGreaterThan(40);
  });

  test('what a summary cost counts in the usage of a run and against its limit', async () => {
    const usage = { inputTokens: 900, outputTokens: 40 };
    const own = { inputTokens: 5, outputTokens: 1 };
    const script = [{ text: 'They talked.', usage }, { calls: [{ name: 'read' }], usage: own }, { text: 'ok' }];
    const provider = withCompaction(scriptedProvider(script), options);
    const request = { provider, model: 'm', messages: conversation('Cats'), limits: { tokens: 500 } };
    expect(await collect(run(request))).toMatchObject({
      reason: 'limit',
      limit: 'tokens',
      usage: { inputTokens: 905, outputTokens: 41 },
    });
  });
});

async function usageOf(provider: Provider, messages: readonly Message[]): Promise<Usage | undefined> {
  for await (const event of provider.stream({ model: 'm', messages }))
    if (event.type === 'message-end') return event.usage;
  return undefined;
}
