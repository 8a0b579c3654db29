import { KernelError, type ToolRepair, toResultJson, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { type RegistryOptions, bindTool, createRegistry, defineTool } from '../../src/index.ts';
import { context, toolCall } from '../support.ts';

const parameters = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'integer' } },
    object: { type: 'object', properties: { x: { type: 'integer' } }, required: ['x'] },
    text: { type: 'string' },
    maybe: { type: ['number', 'null'] },
    either: { anyOf: [{ type: 'integer' }, { type: 'array', items: { type: 'string' } }] },
  },
};
const echo = (schema: object = parameters): ReturnType<typeof bindTool> =>
  bindTool({ name: 'echo', description: 'd', parameters: schema as never, effect: 'read' }, (input) => input);
const run = (
  args: string | object | undefined,
  options: RegistryOptions = {},
  schema: object = parameters,
): ReturnType<ReturnType<typeof createRegistry>['execute']> =>
  createRegistry([echo(schema)], options).execute('echo', args);
const rules = (repairs: readonly ToolRepair[] | undefined): readonly string[] =>
  (repairs ?? []).map((repair) => `${repair.path} ${repair.rule}`);

test.each([
  ['', {}],
  ['   \n', {}],
  [undefined, {}],
  [{}, {}],
  ['{"n":1}', { n: 1 }],
  ['"{\\"n\\":1}"', { n: 1 }],
  ['""', {}],
  [{ n: 1 }, { n: 1 }],
])('the arguments %j are parsed as %j', async (args, expected) => {
  verifies('tools.execute.empty');
  expect((await run(args)).data).toEqual(expected);
});

test('arguments that were encoded as JSON twice are unwrapped, and the repair is reported', async () => {
  verifies('tools.execute.empty', 'tools.execute.coerce');
  const twice = JSON.stringify(JSON.stringify({ a: 1 }));
  expect(twice).toBe('"{\\"a\\":1}"');
  const inputs: unknown[] = [];
  const registry = createRegistry([
    bindTool(
      { name: 't', description: '', parameters: { type: 'object', properties: { a: { type: 'integer' } } } },
      (input) => void inputs.push(input),
    ),
  ]);
  const result = await callTool(registry, toolCall('t', twice), context());
  expect(inputs).toEqual([{ a: 1 }]);
  expect(result.repairs).toEqual([{ path: '', from: '{"a":1}', to: 'an object', rule: 'json-text' }]);
  expect((await callTool(registry, toolCall('t', '{"a":1}'), context())).repairs).toBeUndefined();
  expect((await callTool(registry, toolCall('t', JSON.stringify(twice)), context())).code).toBe('ARGUMENTS_INVALID');
});

test.each([
  '{',
  '{"n":1',
  '{"n":',
  '[1]',
  '5',
  'null',
  '"text"',
  '{"n":1}}',
  "{'n':1}",
  '{"n":1,}',
  '{n:1}',
  'true',
  '{"n":01}',
])('the text %j is rejected with a position and never becomes {}', async (args) => {
  verifies('tools.execute.malformed');
  let entered = false;
  const registry = createRegistry([bindTool({ name: 'a', description: '', parameters: {} }, () => (entered = true))]);
  const result = await callTool(registry, toolCall('a', args), context());
  expect([result.code, entered]).toEqual(['ARGUMENTS_INVALID', false]);
  expect(KernelError.is(result.error) && result.error.data).toMatchObject({ position: expect.any(Number) as number });
  expect(result.forLLM).toContain('position');
});

test('text that was truncated after any character never runs and is never repaired', async () => {
  verifies('tools.execute.malformed', 'tools.execute.coerce');
  const whole = '{"n":"5","list":[1,2],"object":{"x":1},"text":"a\\u00e9"}';
  const results = await Promise.all(
    Array.from({ length: whole.length - 1 }, (_, index) => run(whole.slice(0, index + 1))),
  );
  for (const result of results) {
    expect(result.code).toBe('ARGUMENTS_INVALID');
    expect(result.forLLM).toContain('looks cut off');
    expect(result.repairs).toBeUndefined();
  }
});

test.each([
  ['{"n":"5"}', { n: 5 }, ['/n string-to-number']],
  ['{"n":"-12"}', { n: -12 }, ['/n string-to-number']],
  ['{"flag":"true"}', { flag: true }, ['/flag string-to-boolean']],
  ['{"flag":"False"}', { flag: false }, ['/flag string-to-boolean']],
  ['{"list":5}', { list: [5] }, ['/list value-to-list']],
  ['{"list":"[1,2]"}', { list: [1, 2] }, ['/list json-text']],
  ['{"list":["1",2,"3"]}', { list: [1, 2, 3] }, ['/list/0 string-to-number', '/list/2 string-to-number']],
  ['{"list":"5"}', { list: [5] }, ['/list value-to-list', '/list/0 string-to-number']],
  ['{"object":"{\\"x\\":1}"}', { object: { x: 1 } }, ['/object json-text']],
  ['{"object":"{\\"x\\":\\"1\\"}"}', { object: { x: 1 } }, ['/object json-text', '/object/x string-to-number']],
  ['{"n":null}', {}, ['/n null-to-absent']],
  ['{"maybe":"null"}', { maybe: null }, ['/maybe string-to-null']],
  ['{"maybe":"2.5"}', { maybe: 2.5 }, ['/maybe string-to-number']],
  ['{"either":"7"}', { either: 7 }, ['/either string-to-number']],
  ['{"either":"[\\"a\\"]"}', { either: ['a'] }, ['/either json-text']],
  ['{"either":"a"}', { either: ['a'] }, ['/either value-to-list']],
])('near-valid arguments %s are repaired without loss, and each change is listed', async (args, expected, steps) => {
  verifies('tools.execute.coerce');
  const result = await run(args);
  expect(result.data).toEqual(expected);
  expect(rules(result.repairs)).toEqual(steps);
});

test.each([
  '{"n":"5.5"}',
  '{"n":"12345678901234567890"}',
  '{"n":"0x10"}',
  '{"n":" 5"}',
  '{"n":""}',
  '{"n":"five"}',
  '{"flag":"yes"}',
  '{"flag":1}',
  '{"text":5}',
  '{"list":["a"]}',
  '{"object":null,"n":"x"}',
  '{"n":[5]}',
  '{"n":true}',
  '{"maybe":"0.1234567890123456789"}',
])('a repair that would lose something or guess is not made: %s', async (args) => {
  verifies('tools.execute.coerce');
  expect((await run(args)).code).toBe('ARGUMENTS_INVALID');
});

test('null for a required argument is rejected', async () => {
  verifies('tools.execute.coerce');
  expect((await run('{"n":null}', {}, { ...parameters, required: ['n'] })).code).toBe('ARGUMENTS_INVALID');
});

test('the policy is the tool’s, else the registry’s: off rejects, report rejects and lists, apply repairs', async () => {
  verifies('tools.execute.coerce');
  const off = await run('{"n":"5"}', { repair: 'off' });
  expect([off.code, off.repairs]).toEqual(['ARGUMENTS_INVALID', undefined]);
  const report = await run('{"n":"5"}', { repair: 'report' });
  expect([report.code, rules(report.repairs)]).toEqual(['ARGUMENTS_INVALID', ['/n string-to-number']]);
  const own = bindTool({ name: 'echo', description: '', parameters }, (input) => input, { repair: 'apply' });
  expect((await createRegistry([own], { repair: 'off' }).execute('echo', '{"n":"5"}')).data).toEqual({ n: 5 });
});

test('an argument that the schema does not mention is removed, and the model reads which one it may have meant', async () => {
  verifies('tools.execute.extra');
  const result = await run({ n: 1, flagg: true, object: { x: 1, y: 2 } });
  expect(result.data).toEqual({ n: 1, object: { x: 1 } });
  expect(result.forLLM).toBe(
    '{"n":1,"object":{"x":1}}\n(Unknown argument /flagg was left out. Did you mean "flag"? Unknown argument /object/y was left out.)',
  );
});

test('unknown arguments follow the schema if it says so, else the policy of the tool, else the registry’s', async () => {
  verifies('tools.execute.extra');
  const closed = { ...parameters, additionalProperties: false };
  const open = { ...parameters, additionalProperties: true };
  const typed = { ...parameters, additionalProperties: { type: 'integer' } };
  expect((await run({ zz: 1 }, {}, closed)).code).toBe('ARGUMENTS_INVALID');
  expect((await run({ zz: 1 }, { unknownProperties: 'reject' }, open)).data).toEqual({ zz: 1 });
  expect((await run({ zz: 1 }, {}, typed)).data).toEqual({ zz: 1 });
  expect((await run({ zz: 1 }, { unknownProperties: 'passthrough' })).data).toEqual({ zz: 1 });
  const rejected = await run({ flagg: true }, { unknownProperties: 'reject' });
  expect(rejected.forLLM).toBe(
    'ARGUMENTS_INVALID: "echo" refused its arguments. /: no property "flagg" (did you mean "flag"?).',
  );
  expect((await run({ any: { thing: 1 } }, {}, { type: 'object' })).data).toEqual({ any: { thing: 1 } });
  expect((await run({ zz: 1 }, {}, {})).forLLM).toBe('{}\n(Unknown argument /zz was left out.)');
});

test('names that unions, references and patterns declare are not unknown', async () => {
  verifies('tools.execute.extra');
  const schema = {
    type: 'object',
    properties: { a: {} },
    allOf: [{ $ref: '#/$defs/more' }],
    anyOf: [{ properties: { c: {} } }, { properties: { d: {} } }],
    patternProperties: { '^x-': {} },
    $defs: { more: { properties: { b: { type: 'array', items: { properties: { inner: {} } } } } } },
  };
  const result = await run({ a: 1, b: [{ inner: 1, outer: 2 }], c: 1, d: 1, 'x-y': 1, e: 1 }, {}, schema);
  expect(result.data).toEqual({ a: 1, b: [{ inner: 1 }], c: 1, d: 1, 'x-y': 1 });
});

test('recursion through several schemas at once is followed to its end', async () => {
  verifies('tools.execute.extra');
  const schema = {
    type: 'object',
    properties: { child: { $ref: '#' }, v: { type: 'integer' } },
    allOf: [{ properties: { child: { type: 'object', properties: { child: { $ref: '#' }, w: {} } } } }],
  };
  const result = await run({ child: { child: { child: { v: 1, x: 1 }, w: 1, y: 1 } } }, {}, schema);
  expect(result.data).toEqual({ child: { child: { child: { v: 1 }, w: 1 } } });
});

test('inherited names are unknown unless the schema declares them', async () => {
  verifies('tools.execute.extra', 'tools.register.name');
  const args = '{"n":1,"__proto__":{"polluted":1},"constructor":2,"toString":3}';
  expect((await run(args)).data).toEqual({ n: 1 });
  const naming = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}},"required":["constructor"]}',
  ) as object;
  expect((await run('{"__proto__":1,"constructor":2}', {}, naming)).forLLM).toBe('{"__proto__":1,"constructor":2}');
  expect((await run('{}', {}, naming)).forLLM).toContain('"constructor" is missing');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a zod tool gets the same repairs and removals, and zod decides last', async () => {
  verifies('tools.execute.coerce', 'tools.execute.extra', 'tools.define.zod');
  const input = z.object({
    n: z.int(),
    even: z
      .int()
      .refine((value) => value % 2 === 0, 'must be even')
      .optional(),
  });
  const registry = createRegistry([
    defineTool({ name: 'z', description: '', effect: 'read', input, handler: (value) => value }),
  ]);
  expect(await registry.execute('z', '{"n":"5","m":1}')).toEqual({
    forLLM: '{"n":5}\n(Repaired arguments: /n string-to-number. Unknown argument /m was left out.)',
    data: { n: 5 },
    repairs: [{ path: '/n', from: '5', to: 5, rule: 'string-to-number' }],
  });
  expect((await registry.execute('z', { n: 1, even: 3 })).forLLM).toBe(
    'ARGUMENTS_INVALID: "z" refused its arguments. /even: must be even.',
  );
});

test('an asynchronous schema is awaited within the timeout and the caller’s signal', async () => {
  verifies('tools.define.standard', 'tools.execute.timeout');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const slow = z.object({ n: z.int() }).refine(async (value) => {
    await new Promise((resolve) => {
      setTimeout(resolve, value.n);
    });
    return value.n < 1000;
  });
  const registry = createRegistry([defineTool({ name: 'z', description: '', input: slow, handler: ({ n }) => n })]);
  const after = async (n: number, ms: number, limits: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const result = registry.execute('z', { n }, limits);
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(ms);
    return result;
  };
  expect((await after(2, 2)).data).toBe(2);
  expect((await after(200, 100, { timeoutMs: 20 })).code).toBe('TOOL_TIMEOUT');
  expect((await after(200, 100, { signal: AbortSignal.timeout(10) })).code).toBe('TOOL_CANCELLED');
});

test('values too deep to be validated are rejected, not thrown', async () => {
  verifies('tools.execute.malformed');
  const recursive = { properties: { a: { $ref: '#' } } };
  const deep = `${'{"a":'.repeat(100_000)}{}${'}'.repeat(100_000)}`;
  expect((await run(deep, {}, recursive)).code).toBe('ARGUMENTS_INVALID');
  expect((await run({ self: Object.assign({}, { n: 1n }) as object })).code).toBe('ARGUMENTS_INVALID');
});

test('a coercing schema gets what was meant, and the change is reported', async () => {
  verifies('tools.execute.coerce');
  const input = z.object({ on: z.coerce.boolean(), n: z.coerce.number(), s: z.preprocess(String, z.string()) });
  const registry = createRegistry([
    defineTool({ name: 't', description: '', input, handler: (given) => ({ ...given }) }),
  ]);
  const result = await registry.execute('t', { on: 'false', n: '5', s: 'x' });
  expect(result.data).toEqual({ on: false, n: 5, s: 'x' });
  expect(result.repairs).toMatchObject([{ rule: 'string-to-boolean' }, { rule: 'string-to-number' }]);
});

test('what a schema library throws is for logs and never for the model', async () => {
  verifies('tools.execute.schema');
  const thrown = new Error('cannot read /home/someone/secret.txt');
  const input = z.object({
    a: z.string().refine(() => {
      throw thrown;
    }),
  });
  const registry = createRegistry([defineTool({ name: 't', description: '', input, handler: () => 'ok' })]);
  const result = await registry.execute('t', { a: 'x' });
  expect([result.code, JSON.stringify(toResultJson(result)).includes('someone')]).toEqual(['ARGUMENTS_INVALID', false]);
  expect((result.error as KernelError).cause).toBe(thrown);
});

test('a misspelled required argument is rejected with the name that was meant, within 300 characters', async () => {
  verifies('tools.execute.unknown');
  const properties = { city: { type: 'string' }, unit: { type: 'string' }, days: { type: 'integer' } };
  const tool = {
    name: 't',
    description: '',
    effect: 'read' as const,
    parameters: { type: 'object', properties, required: ['city', 'unit', 'days'] },
  };
  const registry = createRegistry([bindTool(tool, () => 'ok')]);
  const one = await registry.execute('t', { citty: 'Rome', unit: 'C', days: 1 });
  expect(one.forLLM).toContain('"city" is missing. unknown "citty": did you mean "city"?');
  const three = await registry.execute('t', { ['citty'.repeat(30)]: 'Rome', unitt: 'C', dayss: 1 });
  expect(three.forLLM.length).toBeLessThanOrEqual(300);
});
