import * as z from 'zod';
import type { StructuredOutput } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, type RunOptions } from '../../src/index.ts';
import { user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const model = 'm';
const messages = [user('?')];

const answered = (output: z.ZodType, mode: StructuredOutput, ...script: ScriptStep[]) =>
  collect(run({ provider: scriptedProvider(script, { structuredOutput: mode }), model, messages, output }));

const replyWith = (mode: StructuredOutput, text: string): ScriptStep =>
  mode === 'tool-call' ? { calls: [{ name: 'final_answer', arguments: text }] } : { text };

const MODES = ['schema', 'tool-call', 'text'] as const;

describe.each(MODES)('an answer that has a property "answer" of its own, asked for by %s', (mode) => {
  const output = z.union([z.object({ answer: z.string() }), z.object({ refusal: z.string() })]);

  test('is taken out of the object that was asked for, once', async () => {
    verifies('output.readOnce');
    const result = await answered(output, mode, replyWith(mode, '{"answer":{"answer":"42"}}'));
    expect(result).toMatchObject({ reason: 'done', output: { answer: '42' }, answer: '{"answer":"42"}' });
  });

  test('is read where it was given without that object', async () => {
    const result = await answered(output, mode, replyWith(mode, '{"answer":"42"}'));
    expect(result).toMatchObject({ reason: 'done', output: { answer: '42' } });
  });

  test('of a schema that takes anything is the same as its JSON', async () => {
    const result = await answered(z.any(), mode, replyWith(mode, '{"answer":{"answer":"42"}}'));
    expect(result).toMatchObject({ reason: 'done', output: { answer: '42' }, answer: '{"answer":"42"}' });
  });
});

describe.each(MODES)('the schema library, for an answer asked for by %s', (mode) => {
  test('is called once', async () => {
    verifies('output.readOnce');
    let count = 0;
    const output = z.object({ id: z.string().transform((id) => `${id}#${(count += 1)}`) });
    const result = await answered(output, mode, replyWith(mode, '{"id":"a"}'));
    expect(result).toMatchObject({ reason: 'done', output: { id: 'a#1' } });
    expect(count).toBe(1);
  });

  test('may refuse the second use of a value', async () => {
    const used = new Set<string>();
    const isNew = (id: string): boolean => used.size < used.add(id).size;
    const result = await answered(z.object({ id: z.string().refine(isNew) }), mode, replyWith(mode, '{"id":"a"}'));
    expect(result).toMatchObject({ reason: 'done', output: { id: 'a' } });
  });
});

describe('a run that is replayed from a journal', () => {
  test.each(MODES)(
    'has its answer from the JSON of the step, which is not taken out of an object again: %s',
    async (mode) => {
      verifies('output.readOnce');
      const journal = new Map<string, string>();
      const steps: RunOptions['steps'] = {
        all: (batch) =>
          Promise.all(
            batch.map(async (step) => {
              const recorded = journal.get(step.id) ?? JSON.stringify(await step.run());
              journal.set(step.id, recorded);
              return JSON.parse(recorded);
            }),
          ),
      };
      let count = 0;
      const output = z.any().transform((value: unknown) => ({ value, count: (count += 1) }));
      const replies = scriptedProvider([replyWith(mode, '{"answer":{"answer":"42"}}')], { structuredOutput: mode });
      const options = { provider: replies, model, messages, output, steps };
      const first = await collect(run(options));
      expect(first).toMatchObject({ reason: 'done', output: { value: { answer: '42' }, count: 1 } });
      const again = await collect(run(options));
      expect(again).toMatchObject({ reason: 'done', output: { value: { answer: '42' }, count: 2 } });
      expect(replies.streamRequests).toHaveLength(1);
    },
  );
});

describe('in virtual time', () => {
  skipTime();

  describe.each(MODES)('a check of the schema that never ends, for an answer asked for by %s', (mode) => {
    const start = () => {
      const { promise: began, resolve: begin } = Promise.withResolvers<void>();
      const check = (): Promise<boolean> => {
        begin();
        return new Promise<boolean>(() => {});
      };
      const output = z.object({ id: z.string().refine(check) });
      const provider = scriptedProvider([replyWith(mode, '{"id":"a"}')], { structuredOutput: mode });
      return { began, options: { provider, model, messages, output } };
    };

    test('does not hold up an abort', async () => {
      verifies('output.readAborts');
      const { began, options } = start();
      const controller = new AbortController();
      const result = collect(run({ ...options, signal: controller.signal }));
      await began;
      controller.abort();
      expect((await result).reason).toBe('aborted');
    });

    test('does not hold up the limit of time', async () => {
      const { options } = start();
      const result = await collect(run({ ...options, limits: { timeMs: 20 } }));
      expect(result).toMatchObject({ reason: 'limit', limit: 'time' });
    });

    test('does not hold up a reader that leaves', async () => {
      const { began, options } = start();
      const events = run(options);
      for (let event = await events.next(); event.done !== true && event.value.type !== 'message-end';)
        event = await events.next();
      void events.next();
      await began;
      expect(await events.return()).toEqual({ done: true, value: undefined });
    });
  });
});
