import * as z from 'zod';
import type { Provider, StructuredOutput } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, type RunOptions, withHooks, agentAsTool } from '../../src/index.ts';
import { readAll, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const Names = z.object({ names: z.array(z.string()), tags: z.array(z.string()).default([]) });
const valid = '{"names":["a"]}';
const found = { names: ['a'], tags: [] };
const look = (text?: string): ScriptStep => ({ calls: [{ name: 'look' }], ...(text !== undefined && { text }) });

type MockAnswer = Parameters<typeof mockTool>[1];

/** A reply that never ends. */
const neverEnding = (): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
});

function start(
  script: readonly ScriptStep[],
  limits: RunOptions['limits'],
  structuredOutput: StructuredOutput = 'schema',
) {
  let count = 0;
  const provider = scriptedProvider([...script], { structuredOutput });
  const tools = mockToolset([mockTool('look', () => `result ${(count += 1)}`)]);
  return {
    provider,
    tools,
    events: () => run({ provider, model: 'm', messages: [user('Go')], tools, limits, output: Names }),
  };
}

describe('a typed answer of the closing turn', () => {
  test.each(['schema', 'tool-call', 'text'] as const)('is read as any typed answer is, with %s', async (mode) => {
    verifies('output.limit');
    const { events, provider } = start([look(), look(), { text: valid }], { turns: 2, onLimit: 'answer' }, mode);
    const result = await collect(events());
    expect(result).toMatchObject({ reason: 'limit', limit: 'turns', turns: 3, answer: valid, output: found });
    expect(provider.streamRequests[2]).not.toHaveProperty('tools');
  });

  test('is repaired, and found among other text', async () => {
    verifies('output.limit');
    const { events } = start([look(), { text: 'Here it is: {"names":"a"}' }], { turns: 1, onLimit: 'answer' });
    expect(await collect(events())).toMatchObject({ reason: 'limit', answer: valid, output: found });
  });

  test.each<[z.ZodType, string, unknown]>([
    [z.number(), '12', 12],
    [z.boolean(), 'true', true],
    [z.array(z.number()), 'They are [1, 2].', [1, 2]],
  ])('is read where it is no object: %#', async (output, text, value) => {
    verifies('output.limit');
    const provider = scriptedProvider([look(), { text }], { structuredOutput: 'schema' });
    const tools = mockToolset([mockTool('look', 'r')]);
    const limits = { turns: 1, onLimit: 'answer' } as const;
    const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits, output }));
    expect(result).toMatchObject({ reason: 'limit', output: value });
  });

  test('is corrected once if it does not fit, still without tools', async () => {
    verifies('output.limit');
    const script = [look(), { text: '{"names":7}' }, { text: valid }];
    const { events, provider } = start(script, { turns: 1, onLimit: 'answer' });
    const all = await readAll(events());
    expect(all.at(-1)).toMatchObject({ reason: 'limit', limit: 'turns', turns: 3, output: found });
    expect(all.filter(({ type }) => type === 'output-rejected')).toHaveLength(1);
    expect(provider.streamRequests[2]).not.toHaveProperty('tools');
    expect(JSON.stringify(provider.streamRequests[2]?.messages)).toContain('Your answer was rejected');
  });

  test('that does not fit twice is OUTPUT_INVALID, as at any other time', async () => {
    verifies('output.limit');
    const { events } = start([look(), { text: 'no' }, { text: 'never' }], { turns: 1, onLimit: 'answer' });
    expect(await collect(events())).toMatchObject({ reason: 'error', error: { code: 'OUTPUT_INVALID' }, turns: 3 });
  });

  test('goes on after a pause of the vendor, whose text is put in front of it', async () => {
    verifies('output.limit');
    const script: ScriptStep[] = [look(), { text: '{"names":', finishReason: 'paused' }, { text: '["a"]}' }];
    const { events } = start(script, { turns: 1, onLimit: 'answer' });
    expect(await collect(events())).toMatchObject({ reason: 'limit', output: found });
  });
});

describe('a run that ends early with the whole text of a typed answer has it', () => {
  test('at a limit', async () => {
    verifies('output.early');
    const { events } = start([look(valid)], { turns: 1 });
    expect(await collect(events())).toMatchObject({ reason: 'limit', answer: valid, output: found });
  });

  test('where the reply stopped by its length after it', async () => {
    verifies('output.early');
    const { events } = start([{ text: ` ${valid}\n`, finishReason: 'length' }], {});
    expect(await collect(events())).toMatchObject({ reason: 'length', answer: valid, output: found });
  });

  test('where a call of the answer tool gave it, which does not run', async () => {
    verifies('output.early');
    const final = (args: string) => ({ calls: [{ name: 'final_answer', arguments: args }] });
    const cut = start([{ ...final(valid), finishReason: 'length' }], {}, 'tool-call');
    const result = await collect(cut.events());
    expect(result).toMatchObject({ reason: 'length', answer: valid, output: found });
    expect(result.messages.some(({ role }) => role === 'assistant')).toBe(false);
    const half = start([{ ...final('{"names":["a"'), finishReason: 'length' }], {}, 'tool-call');
    expect(await collect(half.events())).not.toHaveProperty('output');
    const filtered = start([{ ...final(valid), finishReason: 'content-filter' }], {}, 'tool-call');
    expect(await collect(filtered.events())).not.toHaveProperty('output');
    const closing = start([look(), final(valid)], { turns: 1, onLimit: 'answer' }, 'tool-call');
    expect(await collect(closing.events())).toMatchObject({ reason: 'limit', answer: valid, output: found });
  });

  test('where a hook gave it', async () => {
    verifies('output.early');
    const { provider, tools } = start([look()], {});
    const hooked = withHooks(tools, { beforeTool: () => ({ action: 'stop', answer: valid }) });
    const options = { provider, model: 'm', messages: [user('Go')], output: Names };
    expect(await collect(run({ ...options, tools: hooked }))).toMatchObject({ reason: 'handled', output: found });
    const before = withHooks(provider, { beforeModel: () => ({ action: 'stop', answer: valid }) });
    expect(await collect(run({ ...options, provider: before }))).toMatchObject({ reason: 'handled', output: found });
  });

  test('in a loop, also from a closing turn', async () => {
    verifies('output.early');
    const same = Array.from({ length: 3 }, () => look(valid));
    const repeats = { warn: 1, refuse: 3, stop: 3 };
    const options = {
      model: 'm',
      messages: [user('Go')],
      tools: mockToolset([mockTool('look', 'same')]),
      output: Names,
    };
    const stopped = await collect(run({ ...options, provider: scriptedProvider(same), limits: { repeats } }));
    expect(stopped).toMatchObject({ reason: 'loop', turns: 3, output: found });
    const silent = [look(), look(), look(), { text: valid }];
    const closing = scriptedProvider(silent, { structuredOutput: 'schema' });
    const refused = { ...options, provider: scriptedProvider(same), limits: { repeats: { ...repeats, refuse: 2 } } };
    expect(await collect(run(refused))).not.toHaveProperty('output');
    const closed = await collect(run({ ...options, provider: closing, limits: { repeats, onLimit: 'answer' } }));
    expect(closed).toMatchObject({ reason: 'loop', turns: 4, output: found });
  });

  test.each([['```json\n{"names":["a"]}\n```'], ['```\n{"names":["a"]}```\n'], [JSON.stringify(valid)]])(
    'where it is alone in a code fence, or encoded twice: %j',
    async (text) => {
      verifies('output.early');
      const { events } = start([{ text, finishReason: 'length' }], {});
      expect(await collect(events())).toMatchObject({ reason: 'length', answer: valid, output: found });
    },
  );

  test.each([
    ['a part of it', '{"names":["a"'],
    ['a part of a code fence', '```json\n{"names":["a"]}\n'],
    ['one that fits inside of one that was cut', '{"all":[{"names":["a"]},{"na'],
    ['other text', 'I looked: {"names":["a"]}'],
    ['one that does not fit', '{"names":7}'],
  ])('and not where it is %s', async (_, text) => {
    verifies('output.early');
    const { events } = start([{ text, finishReason: 'length' }], {});
    const result = await collect(events());
    expect(result).toMatchObject({ reason: 'length', answer: text });
    expect(result).not.toHaveProperty('output');
  });

  test('and not a number that may have lost its end', async () => {
    verifies('output.early');
    const early = (text: string, output: z.ZodType) => {
      const provider = scriptedProvider([{ text, finishReason: 'length' }]);
      return collect(run({ provider, model: 'm', messages: [user('Go')], output }));
    };
    expect(await early('12', z.number())).not.toHaveProperty('output');
    expect(await early('-12', z.number())).not.toHaveProperty('output');
    expect(await early('true', z.boolean())).toMatchObject({ reason: 'length', output: true });
  });
});

describe('in virtual time', () => {
  skipTime();

  describe('a typed answer of the closing turn', () => {
    test('is the result of the agent that a call runs', async () => {
      verifies('output.limit');
      const { provider, tools } = start([look(), { text: valid }], {});
      const limits = { turns: 1, onLimit: 'answer' } as const;
      const agent = agentAsTool({
        name: 'a',
        description: 'A.',
        run: { provider, model: 'm', tools, limits, output: Names },
      });
      const context = { callId: '1', toolName: 'a', signal: new AbortController().signal };
      expect(await agent.handler({ task: 'Go' }, context as never)).toEqual({ forLLM: valid, data: { names: ['a'] } });
      const plain = scriptedProvider([look(), { text: 'Two.' }]);
      const other = agentAsTool({ name: 'a', description: 'A.', run: { provider: plain, model: 'm', tools, limits } });
      const result = await other.handler({ task: 'Go' }, context);
      expect([result.isError, result.forLLM]).toEqual([
        undefined,
        '"a" was stopped (limit), and answered from what it knew by then: Two.',
      ]);
      const hanging = mockToolset([mockTool('look', { hangs: true })]);
      const late = { provider: scriptedProvider([look('I look.')]), model: 'm', tools: hanging };
      const timed = agentAsTool({
        name: 'a',
        description: 'A.',
        run: { ...late, limits: { timeMs: 20, onLimit: 'answer' } },
      });
      expect((await timed.handler({ task: 'Go' }, context as never)).forLLM).toContain(
        '"a" ended without an answer (limit: time). Its calls until then: look (abandoned). So far: I look.',
      );
    });
  });

  describe('a run that ends early with the whole text of a typed answer has it', () => {
    test('at the time limit, unless a check of it takes its time', async () => {
      verifies('output.early');
      const end = (output: z.ZodType, looked: MockAnswer = 'seen') => {
        const { stream } = scriptedProvider([look(valid)]);
        let turns = 0;
        const provider: Provider = {
          name: 'p',
          structuredOutput: () => 'schema',
          stream: (request) => ((turns += 1) === 1 ? stream(request) : neverEnding()),
        };
        const tools = mockToolset([mockTool('look', looked)]);
        return collect(run({ provider, model: 'm', messages: [user('Go')], tools, output, limits: { timeMs: 20 } }));
      };
      expect(await end(Names)).toMatchObject({ reason: 'limit', limit: 'time', answer: valid, output: found });
      const slow = await end(Names.refine(() => new Promise<boolean>(() => undefined)));
      expect(slow).toMatchObject({ reason: 'limit', limit: 'time', answer: valid });
      expect(slow).not.toHaveProperty('output');
      const unfinished = await end(Names, { hangs: true });
      expect(unfinished).toMatchObject({ reason: 'limit', limit: 'time', answer: valid });
      expect(unfinished).not.toHaveProperty('output');
    });
  });
});
