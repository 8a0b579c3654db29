import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { bindTool, createRegistry, defineTool, type RegistryEvent } from '../../src/index.ts';
import { caught } from '../support.ts';

const output = z.object({ celsius: z.number(), unit: z.enum(['C', 'F']).default('C') });
const options = { name: 'weather', description: '', input: z.object({ city: z.string() }), output };

test('an output schema becomes the outputSchema in its input form, and data stays as the handler returned it', async () => {
  verifies('types.output');
  const weather = defineTool({ ...options, handler: ({ city }) => ({ celsius: city.length }) });
  expect(weather.tool.outputSchema).toEqual({
    type: 'object',
    properties: { celsius: { type: 'number' }, unit: { default: 'C', type: 'string', enum: ['C', 'F'] } },
    required: ['celsius'],
  });
  expect((await createRegistry([weather]).execute('weather', { city: 'Oslo' })).data).toEqual({ celsius: 4 });
});

test('data that does not match the output schema is TOOL_FAILED, of a result and of what a generator returns too', async () => {
  verifies('types.output', 'tools.result.unreadable');
  const wrong = { celsius: 'cold' } as never;
  const handlers = [
    () => wrong,
    () => ({ forLLM: 'cold', data: wrong }),
    async function* cold() {
      yield 'half';
      return wrong;
    },
  ];
  for (const handler of handlers) {
    const registry = createRegistry([defineTool({ ...options, effect: 'read', handler })]);
    // oxlint-disable-next-line no-await-in-loop
    const result = await registry.execute('weather', { city: 'Oslo' });
    expect([result.code, result.forLLM]).toEqual([
      'TOOL_FAILED',
      'TOOL_FAILED: "weather" returned data that does not match its output schema: at "/celsius", expected number.',
    ]);
    const writing = createRegistry([defineTool({ ...options, effect: 'write', handler })]);
    // oxlint-disable-next-line no-await-in-loop
    const ran = await writing.execute('weather', { city: 'Oslo' });
    expect([ran.isError, ran.data]).toEqual([undefined, undefined]);
    expect(ran.forLLM).toContain('ran to its end, but its result cannot be read: it returned data that does not match');
  }
});

test('output and outputSchema together are refused', () => {
  verifies('types.output');
  const both = { ...options, outputSchema: { type: 'object' }, handler: () => ({ celsius: 1 }) };
  expect(caught(() => defineTool(both)).message).toContain('has both "output" and "outputSchema"');
});

test('a tool that is defined for a context gets the context of execute in its handler', async () => {
  verifies('types.context');
  const define = defineTool<{ readonly user: string }>();
  const greet = define({
    name: 'greet',
    description: '',
    input: z.object({}),
    handler: (_, { context }) => `Hello ${context.user}`,
  });
  const bound = bindTool<object, { readonly user: string }, 'bound'>(
    { name: 'bound', description: '', parameters: {} },
    (_, { context }) => context.user,
  );
  const registry = createRegistry([greet, bound]);
  expect((await registry.execute('greet', {}, { context: { user: 'ada' } })).forLLM).toBe('Hello ada');
  expect((await registry.execute('bound', {}, { context: { user: 'bob' } })).forLLM).toBe('bob');
});

test('a name that only the program knows is looked up as it is', async () => {
  verifies('types.execute');
  const registry = createRegistry([defineTool({ ...options, handler: () => ({ celsius: 1 }) })]);
  const name: string = ['wea', 'ther'].join('');
  expect((await registry.execute(name, { city: 'Oslo' })).data).toEqual({ celsius: 1 });
  expect((await registry.execute('wether' as string, {})).code).toBe('TOOL_NOT_FOUND');
});

test('the end of a call carries the arguments as validated, before a schema library transforms them, and redacted', async () => {
  verifies('types.events');
  const events: RegistryEvent[] = [];
  const registry = createRegistry(
    [
      defineTool({
        name: 'at',
        description: '',
        effect: 'read',
        input: z.object({
          day: z.string().transform((text) => new Date(text)),
          n: z.int().optional(),
          key: z.string(),
        }),
        handler: ({ day }) => day.getTime(),
      }),
    ],
    { detail: true, secrets: ['sesame-open'] },
  );
  registry.onEvent((event) => events.push(event));
  await registry.execute('at', '{"day":"1970-01-01","n":"5","other":1,"key":"sesame-open"}');
  await registry.execute('at', '{"n":"x"}');
  const ends = events.flatMap((event) => (event.type === 'call-end' ? [event] : []));
  expect(ends.map((end) => end.arguments)).toEqual([{ day: '1970-01-01', n: 5, key: '[redacted]' }, undefined]);
});

test('the key of a concurrency limit is made of the parsed input', async () => {
  verifies('types.execute');
  const keys: number[] = [];
  const double = defineTool({
    name: 'double',
    description: '',
    input: z.object({ n: z.string().transform(Number) }),
    concurrency: {
      max: 1,
      key({ n }) {
        keys.push(n);
        return n.toFixed();
      },
    },
    handler: ({ n }) => n * 2,
  });
  expect((await createRegistry([double]).execute('double', { n: '21' })).data).toBe(42);
  expect(keys).toEqual([21]);
});
