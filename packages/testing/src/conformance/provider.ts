/* oxlint-disable no-await-in-loop -- sequential on purpose */
import assert from 'node:assert/strict';
import {
  KernelError,
  type Message,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Tool,
  type ToolCall,
  toolCallsOf,
  textOf,
} from '@kernel/protocol';
import type { NeutralReply } from '../fakes/scripted-reply.ts';
import type { ConformanceCase } from './case.ts';
import { all, checkEnd, endOf, outcome } from './read-events.ts';

/** A provider under test. */
export interface ConformanceSubject {
  /** The provider. */
  readonly provider: Provider;
  /** Releases what was set up for it. */
  close?(): Promise<void> | void;
}

/** Creates a provider that replies with this script. */
export type MakeProvider = (script: readonly NeutralReply[]) => ConformanceSubject | Promise<ConformanceSubject>;

const TOOL: Tool = Object.freeze({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: Object.freeze({ type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }),
});
const TOOLS = Object.freeze([TOOL]);

const TEXT: NeutralReply = {
  text: 'Grüße, 世界 🌍 and more',
  usage: { inputTokens: 7, outputTokens: 5 },
  pieces: 5,
};
const CALLS: NeutralReply = {
  text: 'Let me see.',
  calls: [
    { id: 'call_a', name: 'add', arguments: { a: 1, b: 2 } },
    { id: 'call_b', name: 'add', arguments: { a: 3, b: 4 } },
  ],
};

/** Returns the behaviors that every `Provider` must have. Pass each to a test of your own framework. */
export function providerConformance(make: MakeProvider): readonly ConformanceCase[] {
  async function withSubject(
    script: readonly NeutralReply[],
    work: (provider: Provider) => Promise<void>,
  ): Promise<void> {
    const subject = await make(script);
    try {
      await work(subject.provider);
    } finally {
      await subject.close?.();
    }
  }

  const kinds: readonly [string, NeutralReply][] = [
    ['text', TEXT],
    ['calls', CALLS],
    ['an empty text', { text: '' }],
    ['a cut text', { text: 'half of', finishReason: 'length' }],
  ];

  return [
    ...kinds.flatMap(([kind, reply]) =>
      [true, false].map((stream) => ({
        name: `a ${stream ? 'streamed' : 'whole'} reply with ${kind} ends in exactly one message-end, as its last event`,
        run: () =>
          withSubject([reply], async (provider) => {
            const events = await all(provider.stream(request({ stream })));
            assert.deepEqual(
              events.flatMap((event, at) => (event.type === 'message-end' ? [at] : [])),
              [events.length - 1],
            );
            checkEnd(events, reply);
          }),
      })),
    ),
    {
      name: 'the text deltas join to the text of the message',
      run: () =>
        withSubject([TEXT], async (provider) => {
          const events = await all(provider.stream(request()));
          const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
          assert.equal(text, TEXT.text);
        }),
    },
    {
      name: 'a reader that pauses between events receives all of them',
      run: () =>
        withSubject([TEXT], async (provider) => {
          let text = '';
          for await (const event of provider.stream(request())) {
            if (event.type === 'text-delta') text += event.text;
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
          assert.equal(text, TEXT.text);
        }),
    },
    {
      name: 'a history with calls is accepted without tools, as in a closing turn',
      run: () =>
        withSubject([CALLS, TEXT], async (provider) => {
          const first = endOf(await all(provider.stream(request())));
          const results = toolCallsOf(first.message).map((call) => toResult(call));
          const messages = [...request().messages, first.message, ...results];
          const second = endOf(await all(provider.stream({ model: 'test-model', messages })));
          assert.equal(textOf(second.message), TEXT.text);
        }),
    },
    {
      name: 'calls of a reply that was cut are dropped, never in the message',
      run: () =>
        withSubject([{ ...CALLS, finishReason: 'length' }], async (provider) => {
          const end = endOf(await all(provider.stream(request())));
          assert.deepEqual(toolCallsOf(end.message), []);
          assert.equal(end.droppedCalls?.length, 2);
          assert.equal(end.finishReason, 'length');
        }),
    },
    {
      name: 'two turns of one conversation work with calls and their results',
      run: () =>
        withSubject([CALLS, TEXT], async (provider) => {
          const first = endOf(await all(provider.stream(request())));
          const results = toolCallsOf(first.message).map((call) => toResult(call));
          const messages = [...request().messages, first.message, ...results];
          const second = endOf(await all(provider.stream({ ...request(), messages })));
          assert.equal(textOf(second.message), TEXT.text);
        }),
    },
    {
      name: 'nothing follows the end, however often next() is called',
      run: () =>
        withSubject([TEXT], async (provider) => {
          const iterator = provider.stream(request())[Symbol.asyncIterator]();
          while (!((await iterator.next()).done ?? false));
          assert.deepEqual(await iterator.next(), { done: true, value: undefined });
        }),
    },
    {
      name: 'a signal that is already aborted throws its reason, unwrapped, before any event',
      run: () =>
        withSubject([TEXT], async (provider) => {
          const reason = new Error('not any more');
          const seen = await outcome(provider.stream({ ...request(), signal: AbortSignal.abort(reason) }));
          assert.equal(seen.error, reason);
          assert.equal(seen.events.length, 0);
        }),
    },
    {
      name: 'an abort at every event throws the reason, unwrapped, and no further event',
      run: async () => {
        let total = 0;
        await withSubject([CALLS], async (provider) => {
          total = (await all(provider.stream(request()))).length;
        });
        for (let stopAt = 1; stopAt < total; stopAt += 1) {
          await withSubject([CALLS], async (provider) => {
            const abort = new AbortController();
            const reason = new Error(`stop at ${stopAt}`);
            const events: ProviderEvent[] = [];
            await assert.rejects(
              async () => {
                for await (const event of provider.stream({ ...request(), signal: abort.signal })) {
                  events.push(event);
                  if (events.length === stopAt) abort.abort(reason);
                }
              },
              (error) => error === reason,
            );
            assert.equal(events.length, stopAt);
          });
        }
      },
    },
    {
      name: 'leaving the loop at every event ends it without an error',
      run: async () => {
        let total = 0;
        await withSubject([CALLS], async (provider) => {
          total = (await all(provider.stream(request()))).length;
        });
        for (let stopAt = 1; stopAt <= total; stopAt += 1) {
          await withSubject([CALLS], async (provider) => {
            let count = 0;
            for await (const _ of provider.stream(request())) {
              count += 1;
              if (count === stopAt) break;
            }
            assert.equal(count, stopAt);
          });
        }
      },
    },
    {
      name: 'a stream that is abandoned before its first event never starts',
      run: () =>
        withSubject([TEXT], async (provider) => {
          const iterator = provider.stream(request())[Symbol.asyncIterator]();
          await iterator.return?.();
          assert.equal((await iterator.next()).done, true);
          assert.equal(textOf(endOf(await all(provider.stream(request()))).message), TEXT.text);
        }),
    },
    {
      name: 'a request after the last scripted reply throws a KernelError',
      run: () =>
        withSubject([], async (provider) => {
          const { error } = await outcome(provider.stream(request()));
          assert.ok(KernelError.is(error), `threw ${String(error)}`);
        }),
    },
  ];
}

function toResult(call: ToolCall): Message {
  return { role: 'tool', toolCallId: call.id, name: call.name, content: '3' };
}

function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  return { model: 'test-model', messages: [{ role: 'user', content: 'What is 1 + 2?' }], tools: TOOLS, ...more };
}
