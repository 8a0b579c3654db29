import type { AgentEvent, Provider } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { run, type RunOptions } from '../../src/index.ts';
import { user } from '../support.ts';

const ended = { done: true, value: undefined };
const messages = [user('Go')];
const unresponsive: Provider = {
  name: 'unresponsive',
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
};

/** A run whose one call is over its limit of turns, so that it throws after its end. */
const throwing = (): RunOptions => ({
  provider: scriptedProvider([{ calls: [{ name: 'a' }] }]),
  model: 'm',
  messages,
  tools: mockToolset([mockTool('a', 'x')]),
  limits: { turns: 1, onLimit: 'throw' },
});

describe('the events of a run are a generator', () => {
  test('reads at once are served in order, and those behind the end are done', async () => {
    const events = run({ provider: scriptedProvider([{ text: 'Hi' }]), model: 'm', messages });
    const reads = await Promise.all(Array.from({ length: 8 }, () => events.next()));
    expect(reads.flatMap(({ value }) => (value === undefined ? [] : [value.type]))).toEqual([
      'turn-start',
      'text-delta',
      'message-end',
      'turn-end',
      'run-end',
    ]);
    expect(reads.slice(5)).toEqual([ended, ended, ended]);
    expect(await events.next()).toEqual(ended);
  });

  test.each([
    ['return()', (events: AsyncGenerator<AgentEvent, void>) => events.return()],
    ['throw()', (events: AsyncGenerator<AgentEvent, void>) => events.throw(new Error('mine')).catch(() => undefined)],
  ])('%s before the first next() means that nothing ever starts', async (_name, leave) => {
    const provider = scriptedProvider([{ text: 'Hi' }]);
    const events = run({ provider, model: 'm', messages });
    await leave(events);
    expect(await events.next()).toEqual(ended);
    await new Promise((resolve) => setImmediate(resolve));
    expect(provider.streamRequests).toHaveLength(0);
  });

  test('return() while a next() waits ends both', async () => {
    const events = run({ provider: unresponsive, model: 'm', messages });
    await events.next();
    const waiting = [events.next(), events.next()];
    expect(await events.return()).toEqual(ended);
    expect(await Promise.all(waiting)).toEqual([ended, ended]);
  });

  test('throw() stops the run and gives the error back', async () => {
    const events = run({ provider: unresponsive, model: 'm', messages });
    await events.next();
    await expect(events.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await events.next()).toEqual(ended);
  });

  test('what a run throws at its end is thrown once, and not to a reader that has left', async () => {
    const events = run(throwing());
    const reads = await Promise.allSettled(Array.from({ length: 9 }, () => events.next()));
    expect(reads.map((read) => (read.status === 'rejected' ? 'thrown' : (read.value.value?.type ?? 'done')))).toEqual([
      'turn-start',
      'tool-call-delta',
      'message-end',
      'tool-start',
      'tool-end',
      'turn-end',
      'run-end',
      'thrown',
      'done',
    ]);

    const left = run(throwing());
    await left.next();
    await new Promise((resolve) => setImmediate(resolve)); // all of it is in the queue by now
    expect(await left.return()).toEqual(ended);
    expect(await left.next()).toEqual(ended);
  });

  test('a reader that leaves at any event closes the stream that was opened', async () => {
    for (let at = 1; at <= 3; at += 1) {
      let opened = 0;
      let closed = 0;
      const texts = ['a', 'b'].map((text) => ({ done: false, value: { type: 'text-delta' as const, text } }));
      const provider: Provider = {
        name: 'p',
        stream() {
          opened += 1;
          return {
            [Symbol.asyncIterator]: () => ({
              next: () => {
                const text = texts.shift();
                return text === undefined ? new Promise(() => {}) : Promise.resolve(text);
              },
              return: () => Promise.resolve({ done: true, value: void (closed += 1) }),
            }),
          };
        },
      };
      let seen = 0;
      for await (const event of run({ provider, model: 'm', messages })) {
        expect(event.type).not.toBe('run-end');
        if ((seen += 1) === at) break;
      }
      expect(seen).toBe(at);
      expect(closed).toBe(opened);
    }
  });

  test('a reader 10,000 events behind stops the provider, and then gets them all', async () => {
    let made = 0;
    const provider: Provider = {
      name: 'p',
      async *stream() {
        for (; made < 10_000; made += 1) yield { type: 'text-delta', text: String(made) };
        const message = { role: 'assistant', content: [{ type: 'text', text: 'all' }] } as const;
        yield { type: 'message-end', message, finishReason: 'stop' };
      },
    };
    const events = run({ provider, model: 'm', messages });
    await events.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(made).toBeLessThan(100);
    const texts: string[] = [];
    for await (const event of events) if (event.type === 'text-delta') texts.push(event.text);
    expect(texts).toEqual(Array.from({ length: 10_000 }, (_, at) => String(at)));
  });
});
