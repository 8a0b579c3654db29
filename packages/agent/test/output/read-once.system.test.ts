import type { StructuredOutput } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { collect, run } from '../../src/index.ts';
import { user } from '../support.ts';

const model = 'm';
const messages = [user('?')];

const replyWith = (mode: StructuredOutput, text: string): ScriptStep =>
  mode === 'tool-call' ? { calls: [{ name: 'final_answer', arguments: text }] } : { text };

const MODES = ['schema', 'tool-call', 'text'] as const;

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
