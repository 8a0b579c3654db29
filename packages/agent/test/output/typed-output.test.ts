import { type AgentEvent, type StructuredOutput, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { agentAsTool, collect, createMemorySession, loadHistory, run, runSession, tapEvents } from '../../src/index.ts';
import { type ClientEvent, clientEvents } from '../../src/web/index.ts';
import { endOf, expectSound, readAll, user } from '../support.ts';

const model = 'm';
const Weather = z.object({ city: z.string(), degrees: z.number(), wind: z.number().optional() });
const lisbon = '{"city":"Lisbon","degrees":21}';

const provide = (structuredOutput: StructuredOutput | undefined, ...script: ScriptStep[]) =>
  scriptedProvider(script, { structuredOutput });
const answerCall = (value: unknown) => ({
  calls: [{ name: 'final_answer', arguments: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const deltasOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'output-delta' ? [event.output] : []));

describe('a typed answer', () => {
  test('is validated, and typed by the schema', async () => {
    verifies('output.typed');
    const provider = provide('schema', { text: lisbon });
    const result = await collect(run({ provider, model, messages: [user('Weather?')], output: Weather }));
    if (result.reason !== 'done') throw new Error(result.reason);
    expectTypeOf(result.output).toEqualTypeOf<{ city: string; degrees: number; wind?: number | undefined }>();
    expect(result.output).toEqual({ city: 'Lisbon', degrees: 21 });
    expect(result.answer).toBe(lisbon);
    const [request] = provider.streamRequests;
    expect(request?.responseFormat).toMatchObject({ name: 'answer', strict: true });
    expect(request?.responseFormat?.schema).toMatchObject({
      required: ['city', 'degrees', 'wind'],
      properties: { wind: { type: ['number', 'null'] } },
    });
    expect(request?.tools).toBeUndefined();
  });

  test('has its dates as Date, which are text for the model', async () => {
    verifies('output.typed', 'tools.define.dates');
    const answer = '{"at":"2026-11-25T12:00:00Z"}';
    const output = z.object({ at: z.date() });
    const provider = provide('schema', { text: '{"at":"soon"}' }, { text: answer });
    const result = await collect(run({ provider, model, messages: [user('When?')], output }));
    if (result.reason !== 'done') throw new Error(result.reason);
    expectTypeOf(result.output).toEqualTypeOf<{ at: Date }>();
    expect([result.output, result.answer]).toEqual([{ at: new Date('2026-11-25T12:00:00Z') }, answer]);
    expect(JSON.stringify(provider.streamRequests[1]?.messages)).toContain('expected a date and time with its offset');
  });

  test('has the defaults and transforms of the schema, and its answer is the JSON before them', async () => {
    const output = z.object({
      at: z.string().transform((text) => new Date(text)),
      tags: z.array(z.string()).default([]),
    });
    const events = run({
      provider: provide('schema', { text: '{"at":"2026-01-02"}' }),
      model,
      messages: [user('?')],
      output,
    });
    const result = await collect(events);
    if (result.reason !== 'done') throw new Error(result.reason);
    expect(result.output).toEqual({ at: new Date('2026-01-02'), tags: [] });
    expect(result.answer).toBe('{"at":"2026-01-02"}');
  });

  test('takes a bare JSON Schema', async () => {
    const output = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const result = await collect(
      run({ provider: provide('schema', { text: '{"n":3}' }), model, messages: [user('?')], output }),
    );
    expect(result).toMatchObject({ reason: 'done', output: { n: 3 } });
  });

  test('nulls of a strict mode are absent again, and near-valid values are repaired', async () => {
    verifies('output.nulls');
    const provider = provide('schema', { text: '{"city":"Lisbon","degrees":"21","wind":null}' });
    const result = await collect(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
    expect(result.reason === 'done' && 'wind' in result.output).toBe(false);
  });

  test('a schema that takes any value somewhere is asked for by the tool', async () => {
    const output = z.object({ meta: z.any() });
    const provider = provide('schema', answerCall({ meta: [1] }));
    const result = await collect(run({ provider, model, messages: [user('?')], output }));
    expect(result).toMatchObject({ reason: 'done', output: { meta: [1] } });
    expect(provider.streamRequests[0]?.responseFormat).toBeUndefined();
  });

  test('a number that would be rounded does not fit', async () => {
    const output = z.object({ id: z.number() });
    const provider = provide('schema', { text: '{"id":12345678901234567890}' }, { text: '{"id":1}' });
    const events = await readAll(run({ provider, model, messages: [user('?')], output }));
    expect(events.find((event) => event.type === 'output-rejected')?.issues[0]).toContain('would be rounded');
    expect(endOf(events)).toMatchObject({ output: { id: 1 } });
  });

  test('an answer that is not an object is asked for in one', async () => {
    const provider = provide('schema', { text: '{"answer":["a","b"]}' });
    const result = await collect(run({ provider, model, messages: [user('?')], output: z.array(z.string()) }));
    expect(result).toMatchObject({ reason: 'done', output: ['a', 'b'], answer: '["a","b"]' });
    expect(provider.streamRequests[0]?.responseFormat?.schema['type']).toBe('object');
  });

  test('a recursive list keeps its references', async () => {
    interface Node {
      name: string;
      children: Node[];
    }
    const node: z.ZodType<Node> = z.object({
      name: z.string(),
      get children() {
        return z.array(node);
      },
    });
    const output = z.array(node);
    const value = [{ name: 'a', children: [{ name: 'b', children: [] }] }];
    const provider = provide('schema', { text: JSON.stringify({ answer: value }) });
    const result = await collect(run({ provider, model, messages: [user('?')], output }));
    expect(result).toMatchObject({ reason: 'done', output: value });
  });

  test('a list that refers to itself refers to its place in the object', async () => {
    const output = { type: 'array', items: { $ref: '#' } };
    const provider = provide('schema', { text: '{"answer":[[],[[]]]}' });
    const result = await collect(run({ provider, model, messages: [user('?')], output }));
    expect(result).toMatchObject({ reason: 'done', output: [[], [[]]] });
    const { schema } = provider.streamRequests[0]?.responseFormat ?? {};
    expect(schema).toMatchObject({ properties: { answer: { items: { $ref: '#/properties/answer' } } } });
  });
});

test('its type passes through what is put around a run', async () => {
  const provider = provide('schema', { text: lisbon });
  const tapped = tapEvents(run({ provider, model, messages: [user('?')], output: Weather }), []);
  const result = await collect(tapped);
  expectTypeOf(result).toMatchTypeOf<{ reason: string }>();
  expect(result.reason === 'done' && result.output.city.length).toBe(6);
});

describe('the answer among other text', () => {
  const Numbers = z.array(z.number());
  test.each<[string, z.ZodType, string, unknown]>([
    ['a thought before it', z.object({ a: z.number() }), '<think>maybe {"a":1}?</think>{"a":2}', { a: 2 }],
    ['an example before it', z.object({ a: z.number() }), 'Not {"a":1}, but {"a":2}.', { a: 2 }],
    ['another object after it', z.object({ a: z.number() }), '{"a":2} is better than {"b":1}.', { a: 2 }],
    ['braces that are no JSON', z.object({ a: z.number() }), 'Using {curly} braces: {"a":1}', { a: 1 }],
    ['brackets that are no JSON', Numbers, '[the numbers]: [1,2,3]', [1, 2, 3]],
    ['the object that was asked for around it', Numbers, 'Here: {"answer":[1,2,3]}', [1, 2, 3]],
    ['other code before it', z.object({ a: z.number() }), '```js\nfoo()\n```\n```json\n{"a":1}\n```', { a: 1 }],
    ['a fence around a number', z.number(), '```\n42\n```', 42],
  ])('is found with %s', async (_what, output, text, value) => {
    verifies('output.pieces');
    const result = await collect(run({ provider: provide('text', { text }), model, messages: [user('?')], output }));
    expect(result).toMatchObject({ reason: 'done', output: value });
  });

  test('is refused where a number of it would be rounded, whatever else would fit', async () => {
    const output = z.object({ id: z.number() });
    const provider = provide('text', { text: 'Not {"id":1} but {"id":12345678901234567890}' }, { text: '{"id":2}' });
    const events = await readAll(run({ provider, model, messages: [user('?')], output }));
    expect(events.find((event) => event.type === 'output-rejected')?.issues[0]).toContain('would be rounded');
  });
});

describe('an answer that does not fit', () => {
  test('is sent back once with what is wrong', async () => {
    verifies('output.corrected');
    const provider = provide('schema', { text: '{"city":"Lisbon"}' }, { text: lisbon });
    const events = await readAll(run({ provider, model, messages: [user('?')], output: Weather }));
    const end = endOf(events);
    expect(end).toMatchObject({ reason: 'done', turns: 2, output: { city: 'Lisbon', degrees: 21 } });
    expect(events.filter((event) => event.type === 'output-rejected')).toHaveLength(1);
    const correction = provider.streamRequests[1]?.messages.at(-1);
    expect(correction).toMatchObject({ role: 'user' });
    expect(JSON.stringify(correction?.content)).toContain('degrees');
  });

  test('ends the run with OUTPUT_INVALID the second time', async () => {
    const provider = provide('schema', { text: 'Sunny.' }, { text: 'Still sunny.' });
    const result = await collect(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(result.reason).toBe('error');
    expect(result.reason === 'error' && result.error.code).toBe('OUTPUT_INVALID');
    expect(result.reason === 'error' && result.error.data?.['text']).toBe('Still sunny.');
    provider.assertDone();
  });

  test('that only the schema library rejects is sent back too', async () => {
    const output = z.object({ even: z.number().refine((n) => n % 2 === 0, 'must be even') });
    const provider = provide('schema', { text: '{"even":3}' }, { text: '{"even":4}' });
    const events = await readAll(run({ provider, model, messages: [user('?')], output }));
    expect(events.find((event) => event.type === 'output-rejected')?.issues).toEqual(['/even: must be even']);
    expect(endOf(events)).toMatchObject({ output: { even: 4 } });
  });

  test.each<[StructuredOutput, ScriptStep]>([
    ['schema', { text: '{"a":"x"}' }],
    ['tool-call', answerCall({ a: 'x' })],
    ['text', { text: '{"a":"x"}' }],
  ])("by a check that throws is the program's mistake, asked for by %s", async (mode, reply) => {
    verifies('output.checkFailed');
    const failing = (): string => {
      throw new Error('no database');
    };
    const output = z.object({ a: z.string().transform(failing) });
    const provider = provide(mode, reply);
    const events = await readAll(run({ provider, model, messages: [user('?')], output }));
    const end = endOf(events);
    expect(end.reason === 'error' && end.error).toMatchObject({
      code: 'CONFIG_INVALID',
      message: 'A check or transform of the output schema failed: no database',
    });
    expect(events.some((event) => event.type === 'output-rejected')).toBe(false);
    expectSound(end.messages);
    provider.assertDone();
  });

  test('since it is nested too deeply for the schema library is sent back too', async () => {
    const depthOf = (value: unknown): number => (Array.isArray(value) ? 1 + depthOf(value[0]) : 0);
    const output = z.object({ a: z.any().transform(depthOf) });
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const provider = provide('tool-call', answerCall(deep), answerCall('{"a":[[1]]}'));
    const events = await readAll(run({ provider, model, messages: [user('?')], output }));
    expect(JSON.stringify(events.find((event) => event.type === 'output-rejected'))).toContain('nested less deeply');
    expect(endOf(events)).toMatchObject({ output: { a: 2 } });
  });

  test('is not looked for in a reply that was cut or filtered', async () => {
    const provider = provide('schema', { text: '{"city":"Lis', finishReason: 'length' });
    const result = await collect(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(result).toMatchObject({ reason: 'length', answer: '{"city":"Lis' });
  });
});

test('a schema that throws ends the run with its error', async () => {
  const output = z.object({
    a: z.string().transform(() => {
      throw new Error('broken');
    }),
  });
  const result = await collect(
    run({ provider: provide('schema', { text: '{"a":"x"}' }), model, messages: [user('?')], output }),
  );
  expect(result.reason).toBe('error');
  expect(result.reason === 'error' && result.error.message).toContain('broken');
});

describe('a provider without schemas', () => {
  test('is offered a tool that takes the answer, which ends the run', async () => {
    verifies('output.toolCall');
    const provider = provide(undefined, answerCall(lisbon));
    const events = await readAll(run({ provider, model, messages: [user('?')], output: Weather }));
    const end = endOf(events);
    expect(end).toMatchObject({ reason: 'done', turns: 1, output: { city: 'Lisbon', degrees: 21 }, answer: lisbon });
    expectSound(end.messages);
    const [request] = provider.streamRequests;
    expect(request?.tools?.map((tool) => tool.name)).toEqual(['final_answer']);
    expect(request?.toolChoice).toEqual({ name: 'final_answer' });
  });

  test('ends the history with the answer, in a session too, and the conversation goes on from there', async () => {
    verifies('output.toolCall');
    const session = createMemorySession();
    const first = provide(undefined, answerCall(lisbon));
    const result = await collect(
      runSession({ session, provider: first, model, messages: [user('?')], output: Weather }),
    );
    const answer = { role: 'assistant', content: [{ type: 'text', text: lisbon }] };
    expect(result.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(result.messages.at(-1)).toEqual(answer);
    expect(await loadHistory(session)).toEqual(result.messages);
    const second = provide('schema', { text: lisbon });
    await collect(runSession({ session, provider: second, model, messages: [user('And now?')], output: Weather }));
    expect(second.streamRequests[0]?.messages.slice(-2)).toEqual([answer, user('And now?')]);
  });

  test('uses the other tools first, and must call some tool in each turn', async () => {
    const tools = mockToolset([mockTool('look_up', 'Sunny, 21')]);
    const provider = provide(undefined, { calls: [{ name: 'look_up' }] }, answerCall(lisbon));
    const result = await collect(run({ provider, model, messages: [user('?')], tools, output: Weather }));
    expect(result).toMatchObject({ reason: 'done', turns: 2, output: { city: 'Lisbon', degrees: 21 } });
    expect(provider.streamRequests.map((request) => request.toolChoice)).toEqual(['required', 'required']);
    expect(provider.streamRequests[0]?.tools?.map((tool) => tool.name)).toEqual(['look_up', 'final_answer']);
    expect(provider.streamRequests[0]?.tools).toBe(provider.streamRequests[1]?.tools);
  });

  test('an answer beside other calls lets them run', async () => {
    const tools = mockToolset([mockTool('note', 'noted')]);
    const provider = provide(undefined, { calls: [{ name: 'note' }, { name: 'final_answer', arguments: lisbon }] });
    const result = await collect(run({ provider, model, messages: [user('?')], tools, output: Weather }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
    expect(tools.calls).toHaveLength(1);
  });

  test('wrong arguments are sent back once, then the run ends with OUTPUT_INVALID', async () => {
    const corrected = provide(undefined, answerCall({ city: 'Lisbon' }), answerCall(lisbon));
    expect(await collect(run({ provider: corrected, model, messages: [user('?')], output: Weather }))).toMatchObject({
      reason: 'done',
    });
    const wrong = provide(undefined, answerCall({ city: 1 }), answerCall({ city: 2 }));
    const result = await collect(run({ provider: wrong, model, messages: [user('?')], output: Weather }));
    expect(result.reason === 'error' && result.error.code).toBe('OUTPUT_INVALID');
    expectSound(result.messages);
  });

  test('arguments that were encoded twice are read, and a rounded number in them still does not fit', async () => {
    const provider = provide(undefined, answerCall(JSON.stringify(lisbon)));
    const result = await collect(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(result).toMatchObject({ reason: 'done', answer: lisbon, output: { city: 'Lisbon', degrees: 21 }, turns: 1 });
    const rounded = JSON.stringify('{"city":"Lisbon","degrees":12345678901234567890}');
    const other = provide(undefined, answerCall(rounded), answerCall(rounded));
    expect(await collect(run({ provider: other, model, messages: [user('?')], output: Weather }))).toMatchObject({
      reason: 'error',
    });
  });

  test('a text that is the JSON of the answer counts, any other is refused', async () => {
    const provider = provide(undefined, { text: 'It is sunny.' }, { text: `Here:\n\`\`\`json\n${lisbon}\n\`\`\`` });
    const result = await collect(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
    expect(provider.streamRequests[1]?.messages.at(-1)?.content).toContain('"final_answer"');
  });

  test('a tool of that name keeps it', async () => {
    const tools = mockToolset([mockTool('final_answer', 'x')]);
    const provider = provide(undefined, { calls: [{ name: 'final_answer_2', arguments: lisbon }] });
    const result = await collect(run({ provider, model, messages: [user('?')], tools, output: Weather }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
  });

  test.each<StructuredOutput>(['tool-call', 'schema'])(
    'a tool of that name that is added during the run ends it, since a call could mean either: asked for by %s',
    async (mode) => {
      verifies('output.toolName');
      let hasChanged = false;
      const first = mockToolset([mockTool('look_up', () => ((hasChanged = true), 'x'))]);
      const second = mockToolset([mockTool('final_answer', 'x')]);
      const tools: Toolset = {
        list: () => (hasChanged ? second : first).list(),
        prepare: (call, context) => (call.name === 'look_up' ? first : second).prepare(call, context),
      };
      const provider = provide(mode, { calls: [{ name: 'look_up' }] }, answerCall(lisbon));
      const result = await collect(run({ provider, model, messages: [user('?')], tools, output: Weather }));
      expect(result.reason === 'error' && result.error).toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('A tool "final_answer" was added during the run'),
      });
      expect(provider.streamRequests).toHaveLength(1);
      expect(second.calls).toHaveLength(0);
      expectSound(result.messages);
    },
  );

  test('the tool needs no approval, and others are asked about as before', async () => {
    const asked: string[] = [];
    const tools = mockToolset([
      { ...mockTool('send', 'sent'), tool: { ...mockTool('send', 'sent').tool, effect: 'external' } },
    ]);
    const provider = provide(undefined, { calls: [{ name: 'send' }] }, answerCall(lisbon));
    const approve = ({ call }: { call: { name: string } }) => {
      asked.push(call.name);
      return { decision: 'allow' } as const;
    };
    const result = await collect(run({ provider, model, messages: [user('?')], tools, approve, output: Weather }));
    expect(result).toMatchObject({ reason: 'done' });
    expect(asked).toEqual(['send']);
  });
});

describe('a provider that takes a schema only without tools', () => {
  test('gets the schema if there are no tools, and the tool otherwise', async () => {
    const alone = provide('schema-without-tools', { text: lisbon });
    await collect(run({ provider: alone, model, messages: [user('?')], output: Weather }));
    expect(alone.streamRequests[0]?.responseFormat).toBeDefined();
    const beside = provide('schema-without-tools', answerCall(lisbon));
    await collect(
      run({
        provider: beside,
        model,
        messages: [user('?')],
        tools: mockToolset([mockTool('a', 'x')]),
        output: Weather,
      }),
    );
    expect(beside.streamRequests[0]?.responseFormat).toBeUndefined();
    expect(beside.streamRequests[0]?.tools).toHaveLength(2);
  });
});

describe('a provider that takes instructions alone', () => {
  test('gets the schema in the system prompt, once per prompt, and the history stays as it is', async () => {
    verifies('output.text');
    const provider = provide('text', { text: 'no' }, { text: `Sure! ${lisbon} That is all.` });
    const result = await collect(run({ provider, model, system: 'Be brief.', messages: [user('?')], output: Weather }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
    const [first, second] = provider.streamRequests;
    expect(first?.messages[0]?.content).toMatch(/^Be brief\.\n\nGive your final answer as one JSON value/);
    expect(second?.messages[0]).toBe(first?.messages[0]);
    expect(result.messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });
});

describe('deltas of a typed answer', () => {
  test('show what has arrived, in each mode', async () => {
    verifies('output.deltas');
    const text = '{"city":"Lisbon","degrees":21,"wind":3}';
    const asText = await readAll(
      run({ provider: provide('schema', { text, pieces: 8 }), model, messages: [user('?')], output: Weather }),
    );
    const shown = deltasOf(asText);
    expect(shown[0]).toEqual({});
    expect(shown).toContainEqual({ city: 'Lisbon' });
    expect(shown.at(-1)).toEqual({ city: 'Lisbon', degrees: 21, wind: 3 });
    expect(new Set(shown).size).toBe(shown.length);
    const asCall = await readAll(
      run({ provider: provide(undefined, answerCall(text)), model, messages: [user('?')], output: Weather }),
    );
    expect(deltasOf(asCall).at(-1)).toEqual({ city: 'Lisbon', degrees: 21, wind: 3 });
  });

  test('leave out the object that was put around a list', async () => {
    const provider = provide('schema', { text: '{"answer":["a","b"]}', pieces: 6 });
    const events = await readAll(run({ provider, model, messages: [user('?')], output: z.array(z.string()) }));
    expect(deltasOf(events).at(-1)).toEqual(['a', 'b']);
  });

  test('start again after a reply that was withdrawn', async () => {
    const provider = {
      name: 'p',
      structuredOutput: () => 'schema' as const,
      async *stream() {
        yield { type: 'text-delta' as const, text: '{"city":"Par' };
        yield { type: 'reply-withdrawn' as const, code: 'PROVIDER_NETWORK' as const, message: 'cut' };
        yield { type: 'text-delta' as const, text: lisbon };
        const content = [{ type: 'text' as const, text: lisbon }];
        yield {
          type: 'message-end' as const,
          finishReason: 'stop' as const,
          message: { role: 'assistant' as const, content },
        };
      },
    };
    const events = await readAll(run({ provider, model, messages: [user('?')], output: Weather }));
    expect(deltasOf(events)).toEqual([{ city: 'Par' }, { city: 'Lisbon', degrees: 21 }]);
  });
});

describe('a typed answer elsewhere', () => {
  test('a sub-agent gives its output as the data of its result', async () => {
    const { tool, handler } = agentAsTool({
      name: 'helper',
      description: 'Helps.',
      run: { provider: provide('schema', { text: lisbon }), model, output: Weather },
    });
    const result = await handler(
      { task: 'x' },
      { callId: '1', toolName: tool.name, signal: new AbortController().signal },
    );
    expect(result).toMatchObject({ forLLM: lisbon, data: { city: 'Lisbon', degrees: 21 } });
  });

  test('a correction is logged in the session too', async () => {
    const session = createMemorySession();
    const provider = provide('schema', { text: 'no' }, { text: lisbon });
    const events = runSession({ session, provider, model, messages: [user('?')], output: Weather });
    expect(await collect(events)).toMatchObject({ reason: 'done', output: { city: 'Lisbon', degrees: 21 } });
    const history = await loadHistory(session);
    expect(history.map((message) => message.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  test('a journal that replays the steps gives the same answer without asking', async () => {
    const recorded = new Map<string, unknown>();
    const journal = (isReplay: boolean) => ({
      all: (batch: readonly { readonly id: string; run(): Promise<unknown> }[]) =>
        Promise.all(
          batch.map(async (step) => {
            if (isReplay) return structuredClone(recorded.get(step.id)) as never;
            const output = await step.run();
            recorded.set(step.id, JSON.parse(JSON.stringify(output)));
            return output as never;
          }),
        ),
    });
    const provider = provide('schema', { text: 'no' }, { text: lisbon });
    const first = await collect(
      run({ provider, model, messages: [user('?')], output: Weather, steps: journal(false) }),
    );
    const again = await collect(run({ provider, model, messages: [user('?')], output: Weather, steps: journal(true) }));
    expect(again).toEqual(first);
    expect([...recorded.keys()]).toEqual(['model:1', 'output:1', 'model:2', 'output:2']);
  });
});

describe('a schema that is wrong', () => {
  test.each([
    ['a number', 3, 'run: output is a number, not a schema.'],
    ['an empty object', {}, 'run: output is an empty object, not a schema.'],
    ['a list', [], 'run: output is an array, not a schema.'],
    ['a function', () => {}, 'run: output is a function, not a schema.'],
    ['a library without a JSON Schema', { '~standard': {} }, 'run: the output schema has no JSON Schema.'],
  ])('%s is refused at once', (_what, output, message) => {
    const options = { provider: provide('schema'), model, messages: [user('?')], output: output as never };
    expect(() => run(options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }));
  });

  test.each([
    ['a wrong JSON Schema', { type: 'object', properties: { a: { type: 'text' } } }, '"/properties/a/type" must be'],
    ['a type that JSON does not have', z.object({ count: z.bigint() }), 'cannot be expressed as JSON Schema'],
  ])('%s ends the run before the first turn, and no tool is named', async (_what, output, message) => {
    const provider = provide('schema', { text: '{}' });
    const result = await collect(run({ provider, model, messages: [user('?')], output }));
    if (result.reason !== 'error') throw new Error(result.reason);
    expect(result).toMatchObject({ turns: 0, error: { code: 'CONFIG_INVALID' } });
    expect(result.error.message).toContain(message);
    expect(`${result.error.message} ${result.error.hint}`).not.toMatch(/tool|handler/i);
    const shown: ClientEvent[] = [];
    for await (const event of clientEvents(run({ provider, model, messages: [user('?')], output }))) shown.push(event);
    expect(shown.at(-1)).toMatchObject({ type: 'run-end', error: { message: 'The run failed.' } });
    expect(provider.requests).toHaveLength(0);
  });
});
