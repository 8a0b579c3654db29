import { KernelError, type ProviderEvent, type ProviderRequest } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { scriptedProvider, verifies } from '../src/index.ts';

const request: ProviderRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };

async function read(events: AsyncIterable<ProviderEvent>): Promise<ProviderEvent[]> {
  const all: ProviderEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test('replays text, calls, chunks, embeddings, audio and errors in order and records every request', async () => {
  verifies('mocks.provider');
  const error = new KernelError('PROVIDER_HTTP', 'The server answered 500.');
  const provider = scriptedProvider([
    { chunks: ['He', 'llo'], reasoning: 'hm' },
    { calls: [{ name: 'a', arguments: { x: 1 }, id: '1' }], usage: { inputTokens: 1, outputTokens: 2 } },
    {
      embeddings: [
        [1, 2],
        [3, 4],
      ],
    },
    { transcript: 'spoken' },
    { error },
    ({ model }) => ({ text: `I am ${model}` }),
  ]);
  const first = await read(provider.stream(request));
  expect(first.map((event) => event.type)).toEqual(['reasoning-delta', 'text-delta', 'text-delta', 'message-end']);
  expect((await read(provider.stream(request))).at(-1)).toMatchObject({
    message: { content: [{ type: 'tool-call', id: '1', name: 'a', arguments: '{"x":1}' }] },
    finishReason: 'tool-calls',
    usage: { inputTokens: 1, outputTokens: 2 },
  });
  expect(await provider.embed({ model: 'm', input: ['a', 'b'] })).toEqual({
    embeddings: [
      { index: 0, vector: [1, 2] },
      { index: 1, vector: [3, 4] },
    ],
  });
  const audio = { data: new Uint8Array(1), mimeType: 'audio/wav', name: 'a.wav' };
  expect(await provider.transcribe({ model: 'm', audio })).toEqual({ text: 'spoken' });
  await expect(read(provider.stream(request))).rejects.toBe(error);
  expect((await read(provider.stream(request))).at(0)).toEqual({ type: 'text-delta', text: 'I am m' });
  expect(provider.requests).toHaveLength(6);
  provider.assertDone();
});

test('throws when the script has run out, when a step is of another kind, and on steps left over', async () => {
  verifies('mocks.provider');
  await expect(read(scriptedProvider([]).stream(request))).rejects.toThrow('arrived after the last one');
  await expect(read(scriptedProvider([{ transcript: 'x' }]).stream(request))).rejects.toThrow('not a stream step');
  await expect(scriptedProvider([{ text: 'x' }]).embed({ model: 'm', input: 'a' })).rejects.toThrow('not a embed step');
  expect(() => scriptedProvider([{ text: 'x' }, { text: 'y' }]).assertDone()).toThrow('2 of 2 steps');
});

test('a reply that was cut names its calls as dropped', async () => {
  const provider = scriptedProvider([{ text: 'Hm', calls: [{ name: 'a', id: '1' }], finishReason: 'length' }]);
  expect((await read(provider.stream(request))).at(-1)).toMatchObject({
    message: { content: [{ type: 'text', text: 'Hm' }] },
    droppedCalls: [{ id: '1', name: 'a', arguments: '{}', reason: 'length' }],
  });
});

test('an abort throws its reason, at once, also from a step that hangs or waits', async () => {
  const reason = new Error('stop');
  for (const step of [
    { text: 'Hm', hang: true },
    { text: 'Hm', delayMs: 10_000 },
  ]) {
    const stop = new AbortController();
    const reading = read(scriptedProvider([step]).stream({ ...request, signal: stop.signal }));
    setTimeout(() => stop.abort(reason), 5);
    await expect(reading).rejects.toBe(reason);
  }
  const { signal } = new AbortController();
  await expect(
    read(scriptedProvider([{ text: 'x' }]).stream({ ...request, signal: AbortSignal.abort(reason) })),
  ).rejects.toBe(reason);
  expect(signal.aborted).toBe(false);
});
