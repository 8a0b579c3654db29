import { type AgentEvent, KernelError, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { start } from '../src/index.ts';
import { endOf, readAll, user } from './support.ts';

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

    test('does not hold up the limit of time, whatever the run is about to report', async () => {
      verifies('run.start.stalled');
      const tools: Toolset = {
        list: () => [mockTool('talk', 'said').tool],
        call: async (_call, { onProgress }) => {
          for (let update = 0; update < 200; update += 1) onProgress?.(String(update));
          return { forLLM: 'said' };
        },
      };
      const provider = scriptedProvider([{ calls: [{ name: 'talk' }] }, { text: 'ok' }]);
      const running = start({ provider, model, messages: [user('Go')], tools, limits: { timeMs: 50 } });
      await stall(running.events);
      expect(await running.result).toMatchObject({ reason: 'limit', limit: 'time' });
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
