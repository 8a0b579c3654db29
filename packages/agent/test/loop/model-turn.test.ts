import { type Provider, type ProviderEvent, withBatches } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const messages = [user('Go')];
const end: ProviderEvent = {
  type: 'message-end',
  message: { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
  finishReason: 'stop',
};

/** A provider whose iterator breaks its contract. */
function breaking(next: () => unknown, leave?: () => unknown): Provider {
  const iterator = { next, ...(leave === undefined ? {} : { return: leave }) };
  return { name: 'broken', stream: () => ({ [Symbol.asyncIterator]: () => iterator }) as AsyncIterable<ProviderEvent> };
}

test.each([
  ['throws when it is asked', { name: 'broken', stream: () => fail() }],
  ['gives no iterable', { name: 'broken', stream: () => undefined } as unknown as Provider],
  ['throws from next()', breaking(() => fail())],
  ['gives no promise', breaking(() => ({ done: false, value: end }))],
  ['resolves to nothing', breaking(() => Promise.resolve())],
  ['resolves to a result without an event', breaking(() => Promise.resolve({ done: false }))],
  ['resolves to a null event', breaking(() => Promise.resolve({ done: false, value: null }))],
  ['rejects with nothing', breaking(() => Promise.reject())],
  ['ends without a message-end', breaking(() => Promise.resolve({ done: true }))],
  ['ends with a message-end without a message', breaking(() => Promise.resolve({ value: { type: 'message-end' } }))],
] as [string, Provider][])('a provider that %s ends the run with an error', async (_name, provider) => {
  const result = await collect(run({ provider, model: 'm', messages }));
  expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
});

test.each([
  ['throws', () => fail()],
  ['rejects', () => Promise.reject(new Error('no'))],
  ['never settles', () => new Promise(() => {})],
] as [string, () => unknown][])('a provider whose return() %s does not affect the answer', async (_name, leave) => {
  const provider = breaking(() => Promise.resolve({ done: false, value: end }), leave);
  const result = await collect(run({ provider, model: 'm', messages }));
  expect(result).toMatchObject({ reason: 'done', answer: 'Hi' });
});

test('what a provider sends after its message-end is not read', async () => {
  let read = 0;
  const provider = breaking(() => {
    read += 1;
    return Promise.resolve({ done: false, value: end });
  });
  expect(await collect(run({ provider, model: 'm', messages }))).toMatchObject({ reason: 'done' });
  expect(read).toBe(1);
});

test('a result that throws when it is looked at is the failure of its call', async () => {
  const hostile = {
    get forLLM(): string {
      return fail();
    },
  };
  const tools = mockToolset([mockTool('a', () => Promise.resolve(hostile))]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'Sorry' }]);
  const result = await collect(run({ provider, model: 'm', messages, tools }));
  expect(result).toMatchObject({ reason: 'done', toolCalls: [{ result: { isError: true } }] });
  expectSound(result.messages);
});

function fail(): never {
  throw new Error('no');
}

/** A provider whose events come in batches. */
function inBatches(...batches: readonly (readonly ProviderEvent[])[]): Provider {
  const rest = [...batches];
  const events = {
    next: () => Promise.reject(new Error('read event by event')),
    [Symbol.asyncIterator]: () => events,
  };
  return { name: 'batches', stream: () => withBatches(events, () => Promise.resolve(rest.shift())) };
}

const delta = (text: string): ProviderEvent => ({ type: 'text-delta', text });

test('events that come in batches are the same events, in order, up to the message-end', async () => {
  verifies('agent.loop.batches');
  const provider = inBatches([delta('a'), delta('b')], [], [delta('c'), end, delta('late')]);
  const seen: string[] = [];
  for await (const event of run({ provider, model: 'm', messages }))
    seen.push(event.type === 'text-delta' ? event.text : event.type);
  expect(seen).toEqual(['turn-start', 'a', 'b', 'c', 'message-end', 'turn-end', 'run-end']);
});

test('batches that end without a message-end end the run with an error', async () => {
  verifies('agent.loop.batches');
  expect(await collect(run({ provider: inBatches([delta('a')]), model: 'm', messages }))).toMatchObject({
    reason: 'error',
    error: { code: 'PROVIDER_PROTOCOL' },
  });
});

test('a reader that lags holds up a batch, and an abort in the middle of it ends the run', async () => {
  verifies('agent.loop.batches');
  const stop = new AbortController();
  let taken = 0;
  const many = Array.from({ length: 1000 }, (_, at) => delta(`${at} `));
  const counted = many.map((event) =>
    Object.defineProperty({ ...event }, 'type', { get: () => ((taken += 1), 'text-delta') }),
  );
  const provider = inBatches(counted, [end]);
  const events = run({ provider, model: 'm', messages, signal: stop.signal });
  await events.next();
  await events.next();
  await new Promise((resolve) => void setImmediate(resolve));
  expect(taken).toBeLessThan(1000);
  stop.abort();
  let last: string | undefined;
  for await (const event of events) last = event.type === 'run-end' ? event.reason : event.type;
  expect(last).toBe('aborted');
});
