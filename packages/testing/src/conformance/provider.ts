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
import { type ConformanceCase, withSubject } from './case.ts';
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
  const withProvider = (script: readonly NeutralReply[], work: (provider: Provider) => Promise<void>): Promise<void> =>
    withSubject(
      () => make(script),
      ({ provider }) => work(provider),
    );
  const check = (name: string, script: readonly NeutralReply[], body: (provider: Provider) => Promise<void>) => ({
    name,
    run: () => withProvider(script, body),
  });
  /** Runs the body once for each event of a reply with calls. */
  const checkAtEachEvent = (
    name: string,
    body: (provider: Provider, stopAt: number, total: number) => Promise<void>,
  ) => ({
    name,
    async run() {
      let total = 0;
      await withProvider([CALLS], async (provider) => {
        total = (await all(provider.stream(request()))).length;
      });
      for (let stopAt = 1; stopAt <= total; stopAt += 1)
        await withProvider([CALLS], (provider) => body(provider, stopAt, total));
    },
  });

  const kinds: readonly [string, NeutralReply][] = [
    ['text', TEXT],
    ['calls', CALLS],
    ['an empty text', { text: '' }],
    ['a cut text', { text: 'half of', finishReason: 'length' }],
  ];

  return [
    ...kinds.flatMap(([kind, reply]) =>
      [true, false].map((stream) =>
        check(
          `a ${stream ? 'streamed' : 'whole'} reply with ${kind} ends in exactly one message-end, as its last event`,
          [reply],
          async (provider) => {
            const events = await all(provider.stream(request({ stream })));
            assert.deepEqual(
              events.flatMap((event, at) => (event.type === 'message-end' ? [at] : [])),
              [events.length - 1],
            );
            checkEnd(events, reply);
          },
        ),
      ),
    ),
    check('the text deltas join to the text of the message', [TEXT], async (provider) => {
      const events = await all(provider.stream(request()));
      const text = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
      assert.equal(text, TEXT.text);
    }),
    check('a reader that pauses between events receives all of them', [TEXT], async (provider) => {
      let text = '';
      for await (const event of provider.stream(request())) {
        if (event.type === 'text-delta') text += event.text;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal(text, TEXT.text);
    }),
    check('a history with calls is accepted without tools, as in a closing turn', [CALLS, TEXT], async (provider) => {
      const messages = await withResults(provider);
      const second = endOf(await all(provider.stream({ model: 'test-model', messages })));
      assert.equal(textOf(second.message), TEXT.text);
    }),
    check(
      'calls of a reply that was cut are dropped, never in the message',
      [{ ...CALLS, finishReason: 'length' }],
      async (provider) => {
        const end = endOf(await all(provider.stream(request())));
        assert.deepEqual(toolCallsOf(end.message), []);
        assert.equal(end.droppedCalls?.length, 2);
        assert.equal(end.finishReason, 'length');
      },
    ),
    check('two turns of one conversation work with calls and their results', [CALLS, TEXT], async (provider) => {
      const messages = await withResults(provider);
      const second = endOf(await all(provider.stream({ ...request(), messages })));
      assert.equal(textOf(second.message), TEXT.text);
    }),
    check('nothing follows the end, however often next() is called', [TEXT], async (provider) => {
      const iterator = provider.stream(request())[Symbol.asyncIterator]();
      while (!((await iterator.next()).done ?? false));
      assert.deepEqual(await iterator.next(), { done: true, value: undefined });
    }),
    check(
      'a signal that is already aborted throws its reason, unwrapped, before any event',
      [TEXT],
      async (provider) => {
        const reason = new Error('not any more');
        const seen = await outcome(provider.stream({ ...request(), signal: AbortSignal.abort(reason) }));
        assert.equal(seen.error, reason);
        assert.equal(seen.events.length, 0);
      },
    ),
    checkAtEachEvent(
      'an abort at every event throws the reason, unwrapped, and no further event',
      async (provider, stopAt, total) => {
        if (stopAt === total) return; // after its last event a reply has nothing to abort
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
      },
    ),
    checkAtEachEvent('leaving the loop at every event ends it without an error', async (provider, stopAt) => {
      let count = 0;
      for await (const _ of provider.stream(request())) {
        count += 1;
        if (count === stopAt) break;
      }
      assert.equal(count, stopAt);
    }),
    check('a stream that is abandoned before its first event never starts', [TEXT], async (provider) => {
      const iterator = provider.stream(request())[Symbol.asyncIterator]();
      await iterator.return?.();
      assert.equal((await iterator.next()).done, true);
      assert.equal(textOf(endOf(await all(provider.stream(request()))).message), TEXT.text);
    }),
    check('a request after the last scripted reply throws a KernelError', [], async (provider) => {
      const { error } = await outcome(provider.stream(request()));
      assert.ok(KernelError.is(error), `threw ${String(error)}`);
    }),
  ];
}

/** Asks for the calls, and returns the history with their results. */
async function withResults(provider: Provider): Promise<readonly Message[]> {
  const { message } = endOf(await all(provider.stream(request())));
  return [...request().messages, message, ...toolCallsOf(message).map(toResult)];
}

function toResult(call: ToolCall): Message {
  return { role: 'tool', toolCallId: call.id, name: call.name, content: '3' };
}

function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  return { model: 'test-model', messages: [{ role: 'user', content: 'What is 1 + 2?' }], tools: TOOLS, ...more };
}
