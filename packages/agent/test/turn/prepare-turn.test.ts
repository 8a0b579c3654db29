import type { Message, Tool, StepExecutor } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, type PrepareTurn, run, type TurnState } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const model = 'm';
const twoTools = () => mockToolset([mockTool('a', 'A'), mockTool('b', 'B')]);

describe('prepareTurn', () => {
  test('changes the request of one turn and nothing after it', async () => {
    verifies('run.prepareTurn');
    const first = scriptedProvider([{ text: 'Done.' }]);
    const other = scriptedProvider([{ calls: [{ name: 'a' }] }], { name: 'other' });
    const states: TurnState[] = [];
    const tools = twoTools();
    const result = await collect(
      run({
        provider: first,
        model,
        messages: [user('Go')],
        tools,
        options: { temperature: 1 },
        context: { tenant: 't' },
        prepareTurn: (state) => {
          states.push(state);
          if (state.turn > 1) return;
          return {
            provider: other,
            model: 'big',
            tools: ['a'],
            toolChoice: 'required',
            options: { temperature: 0 },
            cache: 'off',
            responseFormat: { name: 'f', schema: { type: 'object' } },
            messages: [user('Instead')],
          };
        },
      }),
    );
    expect(other.streamRequests[0]).toMatchObject({
      model: 'big',
      toolChoice: 'required',
      options: { temperature: 0 },
      cache: 'off',
      responseFormat: { name: 'f' },
      messages: [user('Instead')],
    });
    expect(other.streamRequests[0]?.tools?.map((tool) => tool.name)).toEqual(['a']);
    expect(first.streamRequests[0]).toMatchObject({ model: 'm', options: { temperature: 1 } });
    expect(first.streamRequests[0]?.tools).toBe(tools.list());
    expect(first.streamRequests[0]).not.toHaveProperty('cache');
    expect(result.messages[0]).toEqual(user('Go'));
    expect(states.map(({ turn, context }) => [turn, context])).toEqual([
      [1, { tenant: 't' }],
      [2, { tenant: 't' }],
    ]);
    expect(states[1]?.messages).toHaveLength(3);
    expect(states[1]?.usage.inputTokens).toBeGreaterThanOrEqual(0);
  });

  test('calls of tools that it did not choose do not run', async () => {
    const tools = twoTools();
    const provider = scriptedProvider([{ calls: [{ name: 'b' }] }, { text: 'ok' }]);
    const result = await collect(
      run({ provider, model, messages: [user('Go')], tools, prepareTurn: () => ({ tools: ['a'] }) }),
    );
    expect(tools.calls).toHaveLength(0);
    expect(result.toolCalls[0]?.result).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
    expectSound(result.messages);
  });

  test('the same choice of tools is the same list, so that it is encoded once', async () => {
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
    await collect(
      run({ provider, model, messages: [user('Go')], tools: twoTools(), prepareTurn: () => ({ tools: ['a'] }) }),
    );
    expect(provider.streamRequests[0]?.tools).toBe(provider.streamRequests[1]?.tools);
  });

  test('a typed answer is asked for in the way of the provider of the turn', async () => {
    const output = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const byTool = scriptedProvider([{ calls: [{ name: 'a' }] }]);
    const bySchema = scriptedProvider([{ text: '{"n":1}' }], { structuredOutput: 'schema' });
    const prepareTurn = ({ turn }: TurnState) => (turn === 1 ? { tools: ['a'] } : { provider: bySchema });
    const result = await collect(
      run({ provider: byTool, model, messages: [user('?')], tools: twoTools(), output, prepareTurn }),
    );
    expect(result).toMatchObject({ reason: 'done', output: { n: 1 } });
    expect(byTool.streamRequests[0]?.tools?.map((tool) => tool.name)).toEqual(['a', 'final_answer']);
    expect(bySchema.streamRequests[0]?.tools?.map((tool) => tool.name)).toEqual(['a', 'b']);
  });

  test.each([
    [
      'a throw',
      () => {
        throw new Error('no idea');
      },
      /prepareTurn failed: no idea/,
    ],
    ['an unknown key', () => ({ activeTools: ['a'] }), /no option "activeTools"/],
    ['an unknown tool', () => ({ tools: ['aa'] }), /returned the tool "aa", which is not on offer/],
    ['tools that are no names', () => ({ tools: {} }), /an object as tools/],
    ['a provider that is none', () => ({ provider: 'openai' }), /prepareTurn/],
    ['messages that are no list', () => ({ messages: 'hi' }), /prepareTurn returned a string as its messages/],
    ['an invalid message', () => ({ messages: [user('Go'), null] }), /prepareTurn: messages\[1\] is not a message/],
    ['a model that is not a name', () => ({ model: 5 }), /prepareTurn returned 5 as its model/],
    ['an unknown tool choice', () => ({ toolChoice: 'any' }), /prepareTurn returned "any" as its toolChoice/],
    ['an unknown cache mode', () => ({ cache: 'yes' }), /cache must be one of "auto", "off"/],
    ['an unknown life time of the cache', () => ({ cache: { ttl: '2h' } }), /cache\.ttl must be one of "5m"/],
    ['options that are not an object', () => ({ options: 'high' }), /prepareTurn returned a string as its options/],
    ['an invalid format', () => ({ responseFormat: 'json' }), /responseFormat must be an object/],
    ['a format without a schema', () => ({ responseFormat: { name: 'f' } }), /without a name and a schema/],
    ['a tool without a name', () => ({ tools: ['a', undefined] }), /an array as tools/],
    [
      'a property that throws',
      () => ({
        get model() {
          throw new Error('no idea');
        },
      }),
      /prepareTurn failed: no idea/,
    ],
    [
      'a change of the messages',
      ({ messages }: TurnState) => void (messages as Message[]).push(user('Injected')),
      /failed/,
    ],
    ['a change of the tools', ({ tools }: TurnState) => void (tools as Tool[]).pop(), /failed/],
    [
      'a change of the usage',
      ({ usage }: TurnState) => void ((usage as { inputTokens: number }).inputTokens = 0),
      /failed/,
    ],
  ])('%s ends the run with CONFIG_INVALID before the model is asked', async (_what, prepareTurn, message) => {
    verifies('run.prepareTurn.checked');
    const provider = scriptedProvider([{ text: 'ok' }]);
    const options = { provider, model, messages: [user('Go')], tools: twoTools(), prepareTurn: prepareTurn as never };
    const result = await collect(run(options));
    expect(result.reason === 'error' && result.error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message),
    });
    expect(provider.requests).toHaveLength(0);
  });

  test('a prepareTurn that never settles ends with the run', async () => {
    const controller = new AbortController();
    const provider = scriptedProvider([{ text: 'ok' }]);
    const prepareTurn = () => {
      controller.abort();
      return new Promise<undefined>(() => {});
    };
    const result = await collect(
      run({ provider, model, messages: [user('Go')], signal: controller.signal, prepareTurn }),
    );
    expect(result.reason).toBe('aborted');
  });

  test('the step says who was asked, and its input does not name a model before that is decided', async () => {
    verifies('run.prepareTurn.asked');
    const other = scriptedProvider([{ text: 'ok' }], { name: 'other' });
    const recorded: { readonly input: unknown; readonly output: unknown }[] = [];
    const steps: StepExecutor = {
      all: (batch) =>
        Promise.all(
          batch.map(async (step) => {
            const output = await step.run();
            recorded.push({ input: step.input, output });
            return output;
          }),
        ),
    };
    const provider = scriptedProvider([{ text: 'ok' }]);
    const options = { provider, model, messages: [user('Go')], options: { temperature: 1 }, steps };
    await collect(run({ ...options, prepareTurn: () => ({ provider: other, model: 'big' }) }));
    expect(recorded[0]).toMatchObject({ output: { asked: { provider: 'other', model: 'big' } } });
    expect(recorded[0]?.input).toEqual({ turn: 1, messages: [user('Go')] });
    await collect(run(options));
    expect(recorded[1]?.input).toEqual({ turn: 1, messages: [user('Go')], model, options: { temperature: 1 } });
    expect(recorded[1]?.output).not.toHaveProperty('asked');
  });

  test('an empty reply is blamed on the provider that gave it', async () => {
    verifies('run.prepareTurn.asked');
    const provider = scriptedProvider([]);
    const other = scriptedProvider([{ text: '' }], { name: 'other' });
    const options = { provider, model, messages: [user('Go')], prepareTurn: () => ({ provider: other }) };
    const result = await collect(run(options));
    expect(result.reason === 'error' && result.error.message).toContain(
      'The provider "other" sent a reply with neither',
    );
  });

  test('it is not asked for a turn whose reply a journal has', async () => {
    let asked = 0;
    const recorded = new Map<string, unknown>();
    const journal = {
      all: (batch: readonly { readonly id: string; run(): Promise<unknown> }[]) =>
        Promise.all(
          batch.map(async (step) => {
            if (!recorded.has(step.id)) recorded.set(step.id, JSON.parse(JSON.stringify(await step.run())));
            return recorded.get(step.id) as never;
          }),
        ),
    };
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
    const options = {
      provider,
      model,
      messages: [user('Go')],
      tools: twoTools(),
      steps: journal,
      prepareTurn: () => {
        asked += 1;
        return { model: 'big' };
      },
    };
    const first = await collect(run(options));
    const again = await collect(run(options));
    expect(asked).toBe(2);
    expect(again.messages).toEqual(first.messages);
  });
});

describe('options of every turn', () => {
  test('cache and responseFormat reach each request', async () => {
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: '{}' }]);
    const responseFormat = { name: 'f', schema: { type: 'object' } };
    await collect(run({ provider, model, messages: [user('Go')], tools: twoTools(), cache: 'off', responseFormat }));
    for (const request of provider.streamRequests) expect(request).toMatchObject({ cache: 'off', responseFormat });
  });

  test('the options of the prompt cache reach each request, and a turn can have its own', async () => {
    verifies('run.cache');
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'Done' }]);
    const cache = { ttl: '1h', key: 'chat-7', points: ['system'] } as const;
    const prepareTurn: PrepareTurn = ({ turn }) => (turn === 2 ? { cache: { content: 'c' } } : undefined);
    await collect(run({ provider, model, messages: [user('Go')], tools: twoTools(), cache, prepareTurn }));
    expect(provider.streamRequests.map((request) => request.cache)).toEqual([cache, { content: 'c' }]);
  });

  test.each([
    [{ cache: 'on' }, /cache/],
    [{ cache: { lifetime: '1h' } }, /cache\.lifetime|lifetime/],
    [{ responseFormat: { name: 'f' } }, /responseFormat/],
    [{ responseFormat: { name: 'f', schema: {}, extra: 1 } }, /extra/],
    [{ prepareTurn: 'x' }, /prepareTurn/],
    [{ options: 'high' }, /a string as its options/],
  ])('%j is refused at once', (options, message) => {
    const provider = scriptedProvider([]);
    expect(() => run({ provider, model, messages: [], ...(options as object) })).toThrow(message);
  });
});

describe('in virtual time', () => {
  skipTime();

  describe('prepareTurn', () => {
    test('one that never answers is ended by the limit of time', async () => {
      verifies('run.prepareTurn.checked');
      const provider = scriptedProvider([{ text: 'ok' }]);
      const prepareTurn = () => new Promise<undefined>(() => {});
      const result = await collect(
        run({ provider, model, messages: [user('Go')], limits: { timeMs: 20 }, prepareTurn }),
      );
      expect(result).toMatchObject({ reason: 'limit', limit: 'time' });
    });
  });
});
