import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { bindTool, createRegistry, defineTool } from '../../src/index.ts';
import { caught, simple, toolCall, context } from '../support.ts';

const parametersOf = (parameters: object): object =>
  bindTool({ name: 'a', description: 'd', parameters: parameters as never }, () => 1).tool.parameters;

const weather = defineTool({
  name: 'weather',
  description: 'Says how the weather is.',
  effect: 'read',
  input: z.object({
    city: z.string(),
    days: z.int().min(1).default(3),
    units: z.enum(['metric', 'imperial']).optional(),
  }),
  handler: ({ city, days, units }) => `${city} ${days + 1} ${units ?? 'metric'}`,
});

test('a zod schema types the handler, and the handler gets the parsed value with its defaults', async () => {
  verifies('tools.define.zod', 'tools.define.standard');
  const registry = createRegistry([weather]);
  expect((await callTool(registry, toolCall('weather', { city: 'Oslo' }), context())).forLLM).toBe('Oslo 4 metric');
  expect(weather.tool.parameters).toEqual({
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', minimum: 1, default: 3 },
      units: { type: 'string', enum: ['metric', 'imperial'] },
    },
    required: ['city'],
  });
});

test('a Standard Schema of another library works when it gives its JSON Schema', async () => {
  verifies('tools.define.standard');
  const input = {
    '~standard': {
      version: 1 as const,
      vendor: 'other',
      types: undefined as { input: { n: number }; output: { n: number } } | undefined,
      validate: (value: unknown) =>
        (value as { n?: unknown }).n === 1 ? { value: { n: 2 } } : { issues: [{ message: 'must be 1', path: ['n'] }] },
      jsonSchema: { input: () => ({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }) },
    },
  };
  const registry = createRegistry([
    defineTool({ name: 'other', description: 'd', input, handler: ({ n }) => ({ n }) }),
  ]);
  expect((await registry.execute('other', { n: 1 })).data).toEqual({ n: 2 });
  const refused = await registry.execute('other', { n: 5 });
  expect(refused.forLLM).toBe('ARGUMENTS_INVALID: "other" refused its arguments. /n: must be 1.');
});

test('a schema library without JSON Schema is rejected when the tool is defined', () => {
  verifies('tools.define.standard');
  const input = { '~standard': { version: 1, vendor: 'old', validate: (value: unknown) => ({ value }) } };
  expect(() => defineTool({ name: 'x', description: '', input: input as never, handler: () => '' })).toThrow(
    expect.objectContaining({ code: 'TOOL_SCHEMA_INVALID' }),
  );
});

test('a raw JSON Schema is validated in full at each call', async () => {
  verifies('tools.define.json');
  const binding = bindTool(
    {
      name: 'raw',
      description: 'd',
      parameters: {
        type: 'object',
        properties: { p: { type: 'array', items: { $ref: '#/$defs/even' } } },
        $defs: { even: { multipleOf: 2 } },
      },
    },
    (input) => input,
  );
  const registry = createRegistry([binding]);
  expect((await registry.execute('raw', { p: [2, 4] })).data).toEqual({ p: [2, 4] });
  expect((await registry.execute('raw', { p: [2, 3] })).forLLM).toContain('/p/1: expected a multiple of 2, got 3');
});

test('the schema is converted once and its validator compiled once, at the first call', async () => {
  verifies('tools.define.once');
  const schema = z.object({ n: z.number() });
  const convert = vi.spyOn(schema['~standard'].jsonSchema, 'input');
  const binding = defineTool({ name: 'n', description: 'd', input: schema, handler: ({ n }) => n });
  const parameters = {
    type: 'object',
    properties: { n: { type: 'number' }, text: { type: 'string', pattern: '^once$' } },
  };
  const raw = bindTool({ name: 'raw', description: 'd', parameters }, () => 1);
  const registry = createRegistry([binding, raw]);
  const sources: string[] = [];
  // Compiling the validator compiles its pattern: that is seen from outside.
  vi.stubGlobal(
    'RegExp',
    new Proxy(RegExp, {
      construct(target, args: ConstructorParameters<typeof RegExp>) {
        sources.push(String(args[0]));
        return new target(...args);
      },
    }),
  );
  for (let count = 0; count < 100; count += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await Promise.all([registry.execute('raw', { n: count, text: 'once' }), registry.execute('n', { n: count })]);
  }
  vi.unstubAllGlobals();
  expect(sources.filter((source) => source === '^once$')).toHaveLength(1);
  expect(convert).toHaveBeenCalledTimes(1);
});

test('the binding holds the tool, its handler, validation and limits, and repeats no field of the tool', () => {
  verifies('tools.define.binding');
  const binding = simple('a', {}, () => 'x', { timeoutMs: 5, concurrency: 2 });
  expect(binding).toMatchObject({ timeoutMs: 5, concurrency: 2 });
  expect(typeof binding.handler).toBe('function');
  expect(typeof binding.input.validator).toBe('function');
  expect(Object.keys(binding)).not.toEqual(expect.arrayContaining(['name']));
  for (const field of Object.keys(binding.tool)) expect(Object.keys(binding)).not.toContain(field);
});

test('the tool is a deeply frozen copy: the caller keeps its own object, and a write throws', () => {
  verifies('tool.frozen', 'tool.fields');
  const given = { name: 'a', description: 'd', parameters: { type: 'object', properties: { p: { type: 'string' } } } };
  const { tool } = bindTool(given, () => 1);
  expect(tool).toEqual(given);
  expect(tool).not.toBe(given);
  expect(JSON.parse(JSON.stringify(tool))).toEqual(tool);
  given.parameters.properties.p.type = 'number';
  expect(tool.parameters).toEqual({ type: 'object', properties: { p: { type: 'string' } } });
  expect(() => {
    (tool.parameters['properties'] as Record<string, unknown>)['q'] = {};
  }).toThrow(TypeError);
});

test('a tool without arguments has an empty object schema, and a root without a type counts as an object', () => {
  verifies('tool.parameters');
  expect(parametersOf({})).toEqual({ type: 'object', properties: {} });
  expect(parametersOf({ properties: { a: {} } })).toEqual({ type: 'object', properties: { a: {} } });
  expect(defineTool({ name: 'a', description: 'd', input: z.object({}), handler: () => 1 }).tool.parameters).toEqual({
    type: 'object',
    properties: {},
  });
});

test('an effect is one of four words', () => {
  verifies('tool.effect');
  for (const effect of ['read', 'idempotent', 'write', 'external'] as const)
    expect(simple('a', { effect }).tool.effect).toBe(effect);
  expect(() => simple('a', { effect: 'delete' as never })).toThrow(/"\/effect" has an invalid value: "delete"/);
});

test('the same frozen object is in the binding and in the list', () => {
  verifies('tool.identity');
  const registry = createRegistry([weather, simple('b')]);
  expect(registry.list()[0]).toBe(weather.tool);
  expect(registry.get('weather')?.tool).toBe(registry.list()[0]);
});

test('data of a successful result is validated against the output schema', async () => {
  verifies('tool.output');
  const outputSchema = {
    type: 'object',
    properties: { rows: { type: 'array', items: { type: 'integer' } } },
    required: ['rows'],
  };
  const registry = createRegistry([
    simple('good', { outputSchema }, () => ({ rows: [1] })),
    simple('bad', { outputSchema, effect: 'read' }, () => ({ rows: [1, 'two'] })),
    simple('failed', { outputSchema }, () => ({ forLLM: 'no', isError: true })),
  ]);
  expect((await registry.execute('good')).data).toEqual({ rows: [1] });
  const bad = await registry.execute('bad');
  expect(bad).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(bad.forLLM).toContain('"/rows/1"');
  expect((await registry.execute('failed')).forLLM).toBe('no');
});

test('a binding is not accepted as a tool, nor a tool as a binding', () => {
  verifies('tools.define.binding');
  const registry = createRegistry();
  expect(caught(() => registry.register({ name: 'a', description: '', parameters: {} } as never)).code).toBe(
    'CONFIG_INVALID',
  );
});

test.each([
  ['no parameters', undefined, '"/" is missing'],
  [
    'a value in place of a schema',
    { properties: { a: 1n } },
    '"/properties/a" is a bigint, which JSON cannot represent',
  ],
  ['an instance', { a: new URL('http://127.0.0.1') }, '"/a" is a URL, which JSON cannot represent'],
  [
    'an instance without a constructor',
    {
      a: Object.create(
        Object.create(Object.prototype, { constructor: { value: 1 }, b: { value: 2 } }) as object,
      ) as object,
    },
    '"/a" is an instance of a class, which JSON cannot represent',
  ],
])('%s as parameters is an error that says so', (_what, parameters, expected) => {
  const error = caught(() => bindTool({ name: 'a', description: 'd', parameters: parameters as never }, () => 1));
  expect(error).toMatchObject({ code: 'TOOL_SCHEMA_INVALID' });
  expect((error as Error).message).toContain(expected);
});
