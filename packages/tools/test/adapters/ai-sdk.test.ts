import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fromAiSdkTool, toAiSdkTools } from '../../src/adapters/index.ts';
import { bindTool, createRegistry, defineTool } from '../../src/index.ts';
import { caught, context, preparedCall, toolCall } from '../support.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that makes one call, then answers. */
function callingModel(toolName: string, input: string): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: 'tool-call', toolCallId: 'c1', toolName, input }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'done' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
}

const PNG = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' } as const;

test('tools of a registry run in generateText, with repaired arguments, media and failures for the model', async () => {
  verifies('compat.aiSdk');
  const registry = createRegistry([
    defineTool({
      name: 'double',
      description: 'Doubles.',
      effect: 'read',
      input: z.object({ n: z.int() }),
      handler: ({ n }, { context: app }) => ({ forLLM: `${n * 2} for ${String(app)}`, data: n * 2, media: [PNG] }),
    }),
    bindTool({ name: 'fail', description: '', parameters: {} }, () => {
      throw new Error('no luck');
    }),
  ]);
  const model = callingModel('double', '{"n":"21"}');
  const { text, steps } = await generateText({
    model,
    prompt: 'Go',
    tools: toAiSdkTools(registry),
    stopWhen: isStepCount(3),
  });
  expect(text).toBe('done');
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({ data: 42, repairs: [{ from: '21', to: 21 }] });
  expect(model.doGenerateCalls[0]?.tools).toMatchObject([
    { name: 'double', inputSchema: { properties: { n: { type: 'integer' } }, required: ['n'] } },
    { name: 'fail' },
  ]);
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('42 for undefined');
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain(PNG.data);

  const failing = callingModel('fail', '{}');
  await generateText({ model: failing, prompt: 'Go', tools: toAiSdkTools(registry), stopWhen: isStepCount(3) });
  const shown = JSON.stringify(failing.doGenerateCalls[1]?.prompt);
  expect(shown).toContain('"type":"error-text"');
  expect(shown).toContain('TOOL_FAILED: \\"fail\\" failed: no luck');
});

test('a tool of the AI SDK runs in a registry, with the schema of zod and of jsonSchema()', async () => {
  verifies('compat.aiSdk');
  const weather = tool({
    description: 'Tells the weather.',
    inputSchema: z.object({ city: z.string(), days: z.int().default(1) }),
    execute: async ({ city, days }, { toolCallId }) => ({ city, days, toolCallId }),
  });
  const search = tool({
    description: 'Searches.',
    inputSchema: jsonSchema<{ q: string }>(
      { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
      {
        validate: (value) =>
          JSON.stringify(value).includes('bad')
            ? { success: false, error: new Error('no bad words') }
            : { success: true, value: value as { q: string } },
      },
    ),
    async *execute({ q }) {
      yield 'searching';
      yield [q];
    },
    toModelOutput: ({ output }) => ({ type: 'text', value: `found ${JSON.stringify(output)}` }),
  });
  const registry = createRegistry([
    fromAiSdkTool('weather', weather, { effect: 'read' }),
    fromAiSdkTool('search', search),
  ]);
  expect(registry.list().map(({ name, description, effect }) => [name, description, effect])).toEqual([
    ['weather', 'Tells the weather.', 'read'],
    ['search', 'Searches.', undefined],
  ]);
  expect((await callTool(registry, { ...toolCall('weather', { city: 'Oslo' }), id: 'c7' }, context())).data).toEqual({
    city: 'Oslo',
    days: 1,
    toolCallId: 'c7',
  });
  const updates: string[] = [];
  const found = await registry.execute('search', { q: 'x' }, { onProgress: (update) => updates.push(update) });
  expect([found.forLLM, found.data, updates]).toEqual(['found ["x"]', ['x'], ['searching', '["x"]']]);
  expect((await registry.execute('search', { q: 'bad' })).forLLM).toContain('no bad words');
  expect((await registry.execute('search', '{}')).code).toBe('ARGUMENTS_INVALID');
  const noExecute = tool({ inputSchema: z.object({}), outputSchema: z.object({}) });
  expect(caught(() => fromAiSdkTool('none', noExecute))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The AI SDK tool "none" has no execute.',
  });
  expect(caught(() => fromAiSdkTool('bare', { inputSchema: {}, execute: () => 1 }))).toMatchObject({
    code: 'TOOL_SCHEMA_INVALID',
    message: 'The inputSchema of the AI SDK tool "bare" has no JSON Schema.',
  });
});

test('what a tool of the AI SDK shows the model becomes text, media and failures of a result', async () => {
  verifies('compat.aiSdk');
  const shown = [
    { type: 'json', value: { a: 1 } },
    { type: 'error-text', value: 'broken' },
    { type: 'execution-denied', reason: 'not you' },
    {
      type: 'content',
      value: [
        { type: 'text', text: 'see' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG.data } },
      ],
    },
  ] as const;
  const results = [];
  for (const output of shown) {
    const made = tool({ inputSchema: z.object({}), execute: () => 'x', toModelOutput: () => output as never });
    // oxlint-disable-next-line no-await-in-loop
    results.push(await createRegistry([fromAiSdkTool('a', made)]).execute('a', {}));
  }
  expect(results).toEqual([
    { forLLM: '{"a":1}', data: 'x' },
    { forLLM: 'broken', isError: true },
    { forLLM: 'not you', isError: true, outcome: 'denied' },
    { forLLM: 'see', data: 'x', media: [PNG] },
  ]);
});

test('a call that needs an approval in the AI SDK does not run without one, unless an effect is given', async () => {
  verifies('compat.approval');
  const ran: string[] = [];
  const inputSchema = z.object({ path: z.string() });
  const execute = ({ path }: { path: string }): string => {
    ran.push(path);
    return `removed ${path}`;
  };
  const always = tool({ inputSchema, needsApproval: true, execute });
  const sometimes = tool({
    inputSchema,
    needsApproval: async ({ path }, { toolCallId }) => path === '/' && toolCallId === 'c1',
    async *execute(input) {
      yield 'removing';
      yield execute(input);
    },
  });
  const registry = createRegistry([
    fromAiSdkTool('always', always),
    fromAiSdkTool('sometimes', sometimes),
    fromAiSdkTool('never', tool({ inputSchema, needsApproval: false, execute })),
    fromAiSdkTool('given', always, { effect: 'idempotent' }),
  ]);
  const callOf = (name: string, path: string) => ({ ...toolCall(name, { path }), id: 'c1' });
  const denied = { isError: true, code: 'TOOL_DENIED', outcome: 'denied' };
  expect(await callTool(registry, callOf('always', 'a'), context())).toMatchObject(denied);
  expect(await callTool(registry, callOf('sometimes', '/'), context())).toMatchObject(denied);
  expect(ran).toEqual([]);
  expect((await callTool(registry, callOf('sometimes', 'b'), context())).forLLM).toBe('removed b');
  expect((await callTool(registry, callOf('never', 'c'), context())).forLLM).toBe('removed c');
  expect((await callTool(registry, callOf('given', 'd'), context())).forLLM).toBe('removed d');
  for (const name of ['always', 'sometimes']) {
    // oxlint-disable-next-line no-await-in-loop
    const prepared = await preparedCall(registry, callOf(name, '/'));
    expect(prepared.needsApproval).toBe(true);
    // oxlint-disable-next-line no-await-in-loop
    expect((await prepared.run(context())).forLLM).toBe('removed /');
  }
  expect(ran).toEqual(['b', 'c', 'd', '/', '/']);
});

test('a description that depends on the context is refused, not left out', () => {
  verifies('compat.approval');
  const described = tool({ description: () => 'For you.', inputSchema: z.object({}), execute: () => 'x' });
  expect(caught(() => fromAiSdkTool('a', described))).toMatchObject({
    code: 'CONFIG_INVALID',
    message: 'The description of the AI SDK tool "a" is not a string.',
  });
});

test('a tool whose toModelOutput fails has run, which the model is told unless the tool only reads', async () => {
  verifies('tools.result.unreadable', 'compat.aiSdk');
  const made = tool({
    inputSchema: z.object({}),
    execute: () => 'paid',
    toModelOutput: () => {
      throw new Error('no picture');
    },
  });
  const registry = createRegistry([fromAiSdkTool('pay', made), fromAiSdkTool('look', made, { effect: 'read' })]);
  const paid = await registry.execute('pay', {});
  expect([paid.isError, paid.forLLM]).toEqual([
    undefined,
    expect.stringContaining('its toModelOutput failed: no picture.'),
  ]);
  expect((await registry.execute('look', {})).code).toBe('TOOL_FAILED');
});
