import type { AgentEvent, Message, ProviderEvent, ProviderRequest } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, createSteering, run } from '../../src/index.ts';
import { toAgUiResponse, toResponse, toUiMessageStreamResponse } from '../../src/web/index.ts';
import { user } from '../support.ts';

const HALF = 'half \ud83d';

const isSound = (messages: readonly Message[]): boolean => !/(?<!\\)\\ud[89a-f]/i.test(JSON.stringify(messages));

test('no message of a history has half a surrogate pair, wherever it came from', async () => {
  verifies('text.wellFormed');
  const tools = mockToolset([mockTool('a', HALF)]);
  const provider = scriptedProvider([
    {
      text: HALF,
      reasoning: HALF,
      calls: [{ name: 'a', id: '1', arguments: String.raw`{"x":"\ud83d","y":"\ud83d\ude00"}` }],
    },
    { text: 'done' },
  ]);
  const steering = createSteering();
  steering.steer(HALF);
  const stored: Message[] = [
    user(HALF),
    Object.freeze({ role: 'assistant', content: [{ type: 'text', text: HALF }] } as const),
    { role: 'user', content: [{ type: 'text', text: HALF }] },
  ];
  const result = await collect(run({ provider, model: 'm', system: HALF, messages: stored, tools, steering }));
  expect(result).toMatchObject({ reason: 'done' });
  expect(isSound(result.messages)).toBe(true);
  for (const { messages } of provider.streamRequests) expect(isSound(messages)).toBe(true);
  expect(result.messages).toContainEqual(expect.objectContaining({ role: 'tool', content: 'half \uFFFD' }));
  expect(JSON.stringify(result.messages)).toContain(String.raw`\\ud83d\\ude00`);
});

test('a character whose halves come in two deltas is whole, and half of one that stays half is U+FFFD', async () => {
  verifies('text.wellFormed');
  const base = scriptedProvider([{ text: '-' }]);
  const deltas: readonly ProviderEvent[] = [
    { type: 'reasoning-delta', text: '\ud83d' },
    { type: 'text-delta', text: 'a\ud83d' },
    { type: 'reasoning-delta', text: '\ude00' },
    { type: 'text-delta', text: '\ude00b\ude00' },
    { type: 'tool-call-delta', index: 0, name: 'a', arguments: '\ud83d' },
    { type: 'tool-call-delta', index: 1, name: 'a', arguments: '\ud83d' },
    { type: 'tool-call-delta', index: 0, arguments: '\ude00' },
    { type: 'text-delta', text: '\ud83d' },
  ];
  const provider = {
    ...base,
    async *stream(request: ProviderRequest) {
      yield* deltas;
      yield* base.stream(request);
    },
  };
  const events: AgentEvent[] = [];
  for await (const event of run({ provider, model: 'm', messages: [user('a')] })) events.push(event);
  const of = (type: string, index?: number): string =>
    events
      .flatMap((event) => {
        if (event.type !== type) return [];
        if (event.type === 'tool-call-delta') return event.index === index ? [event.arguments] : [];
        return 'text' in event ? [event.text] : [];
      })
      .join('');
  expect([of('reasoning-delta'), of('text-delta')]).toEqual(['😀', 'a😀b\uFFFD\uFFFD-']);
  expect([of('tool-call-delta', 0), of('tool-call-delta', 1)]).toEqual(['😀', '\uFFFD']);
  expect(events.filter((event) => 'text' in event && !event.text.isWellFormed())).toEqual([]);
});

test('no event that leaves as JSON has half a surrogate pair', async () => {
  verifies('text.wellFormed');
  const tools = mockToolset([
    mockTool('a', (_, { onProgress }) => {
      onProgress?.(HALF);
      return HALF;
    }),
  ]);
  for (const toResponseOf of [toResponse, toAgUiResponse, toUiMessageStreamResponse]) {
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: HALF }]);
    const events = run({ provider, model: 'm', messages: [user('a')], tools });
    const body = await toResponseOf(events, { show: ['results', 'progress'] }).text();
    expect(body).toContain('half ');
    expect(body).not.toMatch(/\\ud[89a-f]/i);
  }
});

test('a sound message stays the same object from run to run, so that it is encoded once', async () => {
  const message = Object.freeze(user('a 😀'));
  const provider = scriptedProvider([{ text: 'one' }, { text: 'two' }]);
  const first = await collect(run({ provider, model: 'm', messages: [message] }));
  const second = await collect(run({ provider, model: 'm', messages: [...first.messages, user('again')] }));
  expect(second.messages.slice(0, 2)).toEqual(first.messages);
  for (const [index, each] of first.messages.entries()) expect(second.messages[index]).toBe(each);
  expect(first.messages[0]).toBe(message);
});
