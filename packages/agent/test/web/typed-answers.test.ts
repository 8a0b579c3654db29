import type { AgentEvent, JsonObject, JsonValue } from '@kernel/protocol';
import { scriptedProvider, type ScriptStep, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { run } from '../../src/index.ts';
import { toAgUiResponse, toResponse, toTextResponse, toUiMessageStreamResponse } from '../../src/web/index.ts';
import { user } from '../support.ts';

const answering = (output: z.ZodType, ...script: ScriptStep[]): AsyncIterable<AgentEvent> => {
  const structuredOutput = script.some((step) => 'calls' in step) ? 'tool-call' : 'schema';
  return run({ provider: scriptedProvider(script, { structuredOutput }), model: 'm', messages: [user('Go')], output });
};
const valuesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n\n')
    .flatMap((frame) => (frame.startsWith('data: {') ? [JSON.parse(frame.slice('data: '.length))] : []));

describe('a typed answer at a client', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const made: [string, () => unknown][] = [
    ['a bigint', () => 1n],
    ['a Map', () => new Map([['secret', 1]])],
    ['a cycle', () => circular],
    ['a row of a database', () => ({ passwordHash: 'SECRET-HASH' })],
    ['nothing', () => undefined],
  ];
  const answer = { id: 'u1', age: 3 };
  const events = (make: () => unknown) =>
    answering(z.object({ id: z.string(), age: z.number() }).transform(make), { text: JSON.stringify(answer) });

  test.each(made)('is what the model said where the schema makes %s of it, in every protocol', async (_, make) => {
    verifies('web.output');
    const own = valuesOf(await toResponse(events(make)).text());
    expect(own.at(-1)).toEqual({ type: 'run-end', reason: 'done', answer: JSON.stringify(answer), output: answer });
    const ui = valuesOf(await toUiMessageStreamResponse(events(make)).text());
    expect(ui.findLast(({ type }) => type === 'data-output')).toMatchObject({ data: answer });
    expect(ui.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
    const agUi = valuesOf(await toAgUiResponse(events(make)).text());
    expect(agUi.at(-1)).toMatchObject({ type: 'RUN_FINISHED', result: { output: answer } });
    expect(JSON.stringify([own, ui, agUi])).not.toContain('SECRET-HASH');
  });

  test('is absent where a wrapper has put another text in its place', async () => {
    async function* edited(): AsyncGenerator<AgentEvent> {
      for await (const event of events(() => 1))
        yield event.type === 'run-end' && event.reason === 'done' ? { ...event, answer: 'not JSON' } : event;
    }
    const end = valuesOf(await toResponse(edited()).text()).at(-1);
    expect(end).toEqual({ type: 'run-end', reason: 'done', answer: 'not JSON' });
  });
});

describe('a value that is not JSON', () => {
  async function* broken(): AsyncGenerator<AgentEvent> {
    yield { type: 'turn-start', turn: 1, tools: [] };
    yield { type: 'text-delta', text: 'It' };
    // A wrapper of an application breaks its contract.
    yield { type: 'output-delta', output: 1n as unknown as JsonValue };
    yield { type: 'text-delta', text: 'never sent' };
  }

  test.each([
    ['toResponse', toResponse, { type: 'error', code: 'PROVIDER_PROTOCOL' }],
    ['toUiMessageStreamResponse', toUiMessageStreamResponse, { type: 'finish', finishReason: 'error' }],
    ['toAgUiResponse', toAgUiResponse, { type: 'RUN_ERROR', code: 'PROVIDER_PROTOCOL' }],
  ] as const)('ends %s with an error of its protocol', async (name, respond, last) => {
    verifies('web.notJson');
    const text = await respond(broken()).text();
    expect(text).not.toContain('never sent');
    expect(valuesOf(text).at(-1)).toMatchObject(last);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(name === 'toUiMessageStreamResponse');
  });
});

describe('toTextResponse of a typed answer', () => {
  const city = z.object({ city: z.string() });
  const call = (input: JsonObject) => ({ name: 'final_answer', arguments: input }) as const;

  test('has the JSON of an answer that a call gave', async () => {
    verifies('web.text');
    const events = answering(city, { calls: [call({ city: 'Oslo' })] });
    expect(await toTextResponse(events).text()).toBe('{"city":"Oslo"}');
  });

  test('has the text of an answer once', async () => {
    expect(await toTextResponse(answering(city, { text: '{"city":"Oslo"}', pieces: 3 })).text()).toBe(
      '{"city":"Oslo"}',
    );
  });

  test('breaks off where text was sent of an answer that is rejected', async () => {
    verifies('web.text');
    const events = answering(city, { text: '{"city":1}' }, { text: '{"city":"Oslo"}' });
    await expect(toTextResponse(events).text()).rejects.toThrow('withdrawn or rejected');
  });

  test('goes on after a rejected call: none of it was sent', async () => {
    const events = answering(city, { calls: [call({ city: [] })] }, { calls: [call({ city: 'Oslo' })] });
    expect(await toTextResponse(events).text()).toBe('{"city":"Oslo"}');
  });
});
