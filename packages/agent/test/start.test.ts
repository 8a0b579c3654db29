import * as z from 'zod';
import { type AgentEvent, KernelError, type Provider, textOf as textOfMessage } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { createMemorySession, loadHistory, type Session, start, withHooks } from '../src/index.ts';
import { toResponse } from '../src/web/index.ts';
import { endOf, readAll, user } from './support.ts';
import { skipTime } from '../../../test/setup/skip-time.ts';

const model = 'm';
const options = (pieces = 3) => ({
  provider: scriptedProvider([{ text: 'abcdefghij'.repeat(Math.ceil(pieces / 10)), pieces }]),
  model,
  messages: [user('Go')],
});

/** Until nothing goes on any more. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

describe('start', () => {
  test('gives the events, the text and the result to three readers at once', async () => {
    verifies('run.start');
    const running = start(options());
    const [events, text, result] = await Promise.all([readAll(running.events), textOf(running.text), running.result]);
    expect(endOf(events).reason).toBe('done');
    expect(text).toBe('abcdefghij');
    expect(result).toMatchObject({ reason: 'done', answer: 'abcdefghij' });
  });

  test('runs to its end when nobody reads anything', async () => {
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
    start({ provider, model, messages: [user('Go')], tools });
    await expect.poll(() => provider.requests.length).toBe(2);
  });

  test('readers that start late miss nothing', async () => {
    const running = start(options());
    await running.result;
    expect(await textOf(running.text)).toBe('abcdefghij');
    expect(endOf(await readAll(running.events)).reason).toBe('done');
  });

  test('events that nobody reads are dropped beyond the backlog, and reading them says so', async () => {
    const running = start(options(5_000));
    const result = await running.result;
    expect(result.reason).toBe('done');
    await expect(readAll(running.events)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect((await textOf(running.text)).length).toBe(5_000);
  });

  test('the run goes at the pace of a reader that has begun, and on when it leaves', async () => {
    const running = start(options(1_000));
    const iterator = running.events[Symbol.asyncIterator]();
    await iterator.next();
    let isOver = false;
    void running.result.then(() => (isOver = true));
    await settled();
    expect(isOver).toBe(false);
    await iterator.return?.();
    expect((await running.result).reason).toBe('done');
  });

  describe('a reader that has stalled', () => {
    const stall = async (values: AsyncIterable<unknown>) => {
      const iterator = values[Symbol.asyncIterator]();
      await iterator.next();
      return iterator;
    };

    test.each(['events', 'text'] as const)('of the %s does not hold up an abort', async (reader) => {
      verifies('run.start.stalled');
      const running = start(options(1_000));
      await stall(running[reader]);
      await settled();
      running.abort();
      expect((await running.result).reason).toBe('aborted');
    });

    test('gets all the same what there was, and does not hold up the result of a run that has ended', async () => {
      const running = start(options(80));
      const iterator = await stall(running.events);
      expect((await running.result).reason).toBe('done');
      let last: unknown;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) last = next.value;
      expect(last).toMatchObject({ type: 'run-end', reason: 'done' });
    });
  });

  describe('the text', () => {
    const wholeReply = (text: string): Provider => ({
      name: 'whole',
      async *stream() {
        const message = { role: 'assistant' as const, content: [{ type: 'text' as const, text }] };
        yield { type: 'message-end', finishReason: 'stop', message };
      },
    });
    /** Its first reply is withdrawn once `isRead` says that somebody has read of it. */
    const withdrawing = (isRead: Promise<void>): Provider => ({
      name: 'withdrawing',
      async *stream() {
        yield { type: 'text-delta', text: 'It is ' };
        await isRead;
        yield { type: 'reply-withdrawn', code: 'PROVIDER_NETWORK', message: 'cut' };
        yield { type: 'text-delta', text: 'It is 3.' };
        const message = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'It is 3.' }] };
        yield { type: 'message-end', finishReason: 'stop', message };
      },
    });

    test('has that of a provider that sends whole replies', async () => {
      verifies('run.start.text');
      expect(await textOf(start({ provider: wholeReply('whole'), model, messages: [user('Go')] }).text)).toBe('whole');
    });

    test('has the answer of a hook that ends the run', async () => {
      const provider = withHooks(wholeReply('x'), { beforeModel: () => ({ action: 'stop', answer: 'Not today.' }) });
      expect(await textOf(start({ provider, model, messages: [user('Go')] }).text)).toBe('Not today.');
    });

    test('is without a withdrawn reply for a reader that starts late', async () => {
      verifies('run.start.text');
      const running = start({ provider: withdrawing(Promise.resolve()), model, messages: [user('Go')] });
      expect(await running.result).toMatchObject({ answer: 'It is 3.' });
      expect(await textOf(running.text)).toBe('It is 3.');
    });

    test('keeps the replies before the one that is withdrawn', async () => {
      const tools = mockToolset([mockTool('a', 'x')]);
      const first = scriptedProvider([{ text: 'Let me see. ', calls: [{ name: 'a' }] }]);
      const second = withdrawing(Promise.resolve());
      const provider: Provider = {
        name: 'both',
        stream: (request) => (first.streamRequests.length === 0 ? first : second).stream(request),
      };
      const running = start({ provider, model, messages: [user('Go')], tools });
      await running.result;
      expect(await textOf(running.text)).toBe('Let me see. It is 3.');
    });

    test('is without an answer that was rejected, for a reader that starts late', async () => {
      verifies('run.start.text');
      const replies = [{ text: '{"city":1}' }, { text: '{"city":"Oslo"}' }];
      const provider = scriptedProvider(replies, { structuredOutput: 'schema' });
      const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      const running = start({ provider, model, messages: [user('Go')], output });
      expect(await running.result).toMatchObject({ output: { city: 'Oslo' } });
      expect(await textOf(running.text)).toBe('{"city":"Oslo"}');
    });

    test('breaks off where a reply is withdrawn that was read already, and the run goes on', async () => {
      verifies('run.start.text');
      const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>();
      const running = start({ provider: withdrawing(isRead), model, messages: [user('Go')] });
      const iterator = running.text[Symbol.asyncIterator]();
      expect(await iterator.next()).toEqual({ done: false, value: 'It is ' });
      const next = iterator.next();
      onRead();
      await expect(next).rejects.toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      expect(await running.result).toMatchObject({ reason: 'done', answer: 'It is 3.' });
    });
  });

  test('a rejection that nobody waits for is not unhandled, and reaches the reader of the events', async () => {
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }], { repeat: true });
    const running = start({ provider, model, messages: [user('Go')], tools, limits: { turns: 1, onLimit: 'throw' } });
    await expect(readAll(running.events)).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
    expect(await textOf(running.text)).toBe('');
  });

  test('abort and the signal of the caller end it', async () => {
    const hanging = () => ({ provider: scriptedProvider([{ text: 'a', hang: true }]), model, messages: [user('Go')] });
    const running = start(hanging());
    running.abort();
    expect((await running.result).reason).toBe('aborted');
    const controller = new AbortController();
    const other = start({ ...hanging(), signal: controller.signal });
    controller.abort();
    expect((await other.result).reason).toBe('aborted');
  });

  test('the events can be read once', async () => {
    const running = start(options());
    await readAll(running.events);
    await expect(readAll(running.events)).rejects.toSatisfy((error) => KernelError.is(error, 'CONFIG_INVALID'));
  });

  describe('in a session', () => {
    const inSession = (session: Session, pieces = 200) => {
      const { provider } = options(pieces);
      return start({ session, provider, model, messages: [user('Go')] });
    };

    test('goes on when its client leaves, and the session has what the client has missed', async () => {
      verifies('run.start.session');
      const session = createMemorySession();
      const running = inSession(session);
      const reader = toResponse(running.events).body?.getReader();
      await reader?.read();
      await reader?.cancel();
      expect(await running.result).toMatchObject({ reason: 'done', answer: 'abcdefghij'.repeat(20) });
      expect(textOfMessage((await loadHistory(session)).at(-1) ?? user('nothing'))).toBe('abcdefghij'.repeat(20));
    });

    test('its events have the ids by which a client comes back', async () => {
      verifies('run.start.session');
      const body = await toResponse(inSession(createMemorySession()).events).text();
      expect(body).toContain('id: 1\n');
      expect(body.trim().split('\n\n').at(-1)).toContain('id: 2\n');
    });

    test('goes on with what is pending if there are no new messages, and is typed like runSession', async () => {
      const session = createMemorySession();
      await inSession(session).result;
      const provider = scriptedProvider([{ text: '{"n":1}' }], { structuredOutput: 'schema' });
      const running = start({ session, provider, model, output: z.object({ n: z.number() }) });
      expectTypeOf(running.events).toEqualTypeOf<AsyncIterable<AgentEvent<{ n: number }>>>();
      expect(await running.result).toMatchObject({ output: { n: 1 } });
      expect(provider.streamRequests[0]?.messages).toHaveLength(2);
    });

    test('ends by abort, also before the session was read', async () => {
      const running = start({
        session: createMemorySession(),
        provider: scriptedProvider([{ text: 'a', hang: true }]),
        model,
        messages: [user('Go')],
      });
      await running.events[Symbol.asyncIterator]().next();
      running.abort();
      expect((await running.result).reason).toBe('aborted');
      const early = inSession(createMemorySession());
      early.abort();
      await expect(early.result.then(({ reason }) => reason)).resolves.toBe('aborted');
    });

    test('a session that cannot be read rejects the result, and is not unhandled where nobody waits for it', async () => {
      const broken: Session = { ...createMemorySession(), entries: () => Promise.reject(new Error('disk')) };
      await expect(inSession(broken).result).rejects.toMatchObject({ code: 'STORE_FAILED' });
      const running = inSession(broken);
      await expect(readAll(running.events)).rejects.toMatchObject({ code: 'STORE_FAILED' });
    });

    test('refuses what is no session, and options that runSession does not have, at once', () => {
      const { provider } = options();
      expect(() => start({ session: {} as never, provider, model })).toThrow(/without a session/);
      expect(() => start({ session: createMemorySession(), provider, model, extra: 1 } as never)).toThrow(/"extra"/);
    });
  });

  test('refuses options at once, like run, and is typed like it', async () => {
    expect(() => start({ ...options(), model: 3 as never })).toThrow(/model/);
    const running = start({
      provider: scriptedProvider([{ text: '{"n":1}' }], { structuredOutput: 'schema' }),
      model,
      messages: [user('Go')],
      output: z.object({ n: z.number() }),
    });
    expectTypeOf(running.events).toEqualTypeOf<AsyncIterable<AgentEvent<{ n: number }>>>();
    const result = await running.result;
    expect(result.reason === 'done' && result.output.n).toBe(1);
  });
});

describe('in virtual time', () => {
  skipTime();

  describe('start', () => {
    describe('a reader that has stalled', () => {
      const stall = async (values: AsyncIterable<unknown>) => {
        const iterator = values[Symbol.asyncIterator]();
        await iterator.next();
        return iterator;
      };

      test('does not hold up the limit of time, whatever the run is about to report', async () => {
        verifies('run.start.stalled');
        const tools = mockToolset([
          mockTool('talk', async (_call, { onProgress }) => {
            for (let update = 0; update < 200; update += 1) onProgress?.(String(update));
            return 'said';
          }),
        ]);
        const provider = scriptedProvider([{ calls: [{ name: 'talk' }] }, { text: 'ok' }]);
        const running = start({ provider, model, messages: [user('Go')], tools, limits: { timeMs: 50 } });
        await stall(running.events);
        expect(await running.result).toMatchObject({ reason: 'limit', limit: 'time' });
      });
    });
  });
});
