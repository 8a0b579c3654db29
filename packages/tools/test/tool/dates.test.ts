import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import { createRegistry, defineTool } from '../../src/index.ts';
import { caught, context, toolCall } from '../support.ts';

const NOON = '2026-11-25T12:00:00Z';
const seen: unknown[] = [];

function booking<S extends z.ZodObject>(input: S) {
  return createRegistry([
    defineTool({ name: 'book', description: 'Books.', input, handler: (given) => void seen.push(given) }),
  ]);
}

async function read(input: z.ZodObject, given: object): Promise<unknown> {
  seen.length = 0;
  const result = await callTool(booking(input), toolCall('book', JSON.stringify(given)), context());
  return result.isError === true ? result.forLLM : seen[0];
}

test.each([
  [1, 'at', ''],
  [2, 'at', ''],
  [3, 'begins_at_the_latest', 'And 1 more.'],
  [7, 'a_date_with_a_name_that_is_much_longer_than_any_name_that_is_useful', 'And 6 more.'],
])('what is wrong with %i dates is told in whole lines, each with its example: %s', async (count, name, more) => {
  verifies('tools.define.dates');
  const names = Array.from({ length: count }, (_, index) => `${name}_${index}`);
  const given = (value: unknown) => Object.fromEntries(names.map((each) => [each, value]));
  const said = String(await read(z.object(given(z.date()) as Record<string, z.ZodDate>), given('tomorrow')));
  const lines = said.match(/\/\S+: expected a date and time with its offset, such as "2026-11-25T09:30:00Z"\./g);
  expect([lines?.length, said.endsWith(more), said.includes('….')]).toEqual([
    count - Number(/\d/.exec(more) ?? 0),
    true,
    false,
  ]);
  expect(said.length).toBeLessThanOrEqual(300);
});

test('a date in an input is text on the wire and a Date in the handler, and typed so', async () => {
  verifies('tools.define.dates');
  const tool = defineTool({
    name: 'book',
    description: 'Books.',
    input: z.object({ at: z.date(), until: z.coerce.date().optional(), since: z.date().nullable() }),
    handler({ at, since, until }) {
      expectTypeOf(at).toEqualTypeOf<Date>();
      expectTypeOf(until).toEqualTypeOf<Date | undefined>();
      return `${at.getTime()} ${String(until?.getTime())} ${String(since?.getTime())}`;
    },
  });
  const date = { type: 'string', format: 'date-time' };
  expect(tool.tool.parameters['properties']).toEqual({
    at: date,
    until: date,
    since: { anyOf: [date, { type: 'null' }] },
  });
  expect(JSON.stringify(tool.tool.parameters)).not.toContain('kernel');
  const registry = createRegistry([tool]);
  const ms = Date.parse(NOON);
  expect((await registry.execute('book', { at: new Date(ms), until: new Date(ms), since: null })).forLLM).toBe(
    `${ms} ${ms} undefined`,
  );
  const text = JSON.stringify({ at: '2026-11-25T14:00:00.000+02:00', since: NOON });
  expect((await callTool(registry, toolCall('book', text), context())).forLLM).toBe(`${ms} undefined ${ms}`);
});

test.each([
  ['a text that is none', 'tomorrow'],
  ['a date without a time', '2026-11-25'],
  ['a time without an offset', '2026-11-25T12:00:00'],
  ['a day that the month does not have', '2026-02-30T12:00:00Z'],
  ['an hour that no day has', '2026-11-25T24:30:00Z'],
  ['a fraction that would be rounded', '2026-11-25T12:00:00.0001Z'],
  ['a number', 5],
  ['true', true],
  ['an object', {}],
])('%s is refused, and the model is told what is expected: %j', async (_, value) => {
  verifies('tools.define.dates');
  for (const schema of [z.date(), z.coerce.date()]) {
    // oxlint-disable-next-line no-await-in-loop -- one call after another
    expect(await read(z.object({ at: schema }), { at: value })).toMatch(
      /^ARGUMENTS_INVALID: "book" refused its arguments\. \/at: expected (?:a date and time|string)/,
    );
  }
});

test('dates are read wherever they are: in lists, records, tuples, unions, references and under defaults', async () => {
  verifies('tools.define.dates');
  const at = new Date(NOON);
  const node = z.object({
    at: z.date(),
    get next() {
      return node.optional();
    },
  });
  const input = z.object({
    list: z.array(z.date()),
    record: z.record(z.string(), z.object({ at: z.date() })),
    tuple: z.tuple([z.string(), z.date()]),
    either: z.union([z.number(), z.date()]),
    text: z.union([z.string(), z.date()]),
    kind: z.discriminatedUnion('type', [
      z.object({ type: z.literal('day'), on: z.date() }),
      z.object({ type: z.literal('word'), on: z.string() }),
    ]),
    word: z.discriminatedUnion('type', [
      z.object({ type: z.literal('day'), on: z.date() }),
      z.object({ type: z.literal('word'), on: z.string() }),
    ]),
    node,
    both: z.intersection(z.object({ a: z.date() }), z.object({ b: z.date() })),
    later: z.date().default(new Date(0)),
    stamp: z.iso.datetime(),
  });
  const given = {
    list: [NOON, NOON],
    record: { __proto__x: { at: NOON } },
    tuple: [NOON, NOON],
    either: NOON,
    text: NOON,
    kind: { type: 'day', on: NOON },
    word: { type: 'word', on: NOON },
    node: { at: NOON, next: { at: NOON } },
    both: { a: NOON, b: NOON },
    stamp: NOON,
  };
  expect(await read(input, given)).toEqual({
    list: [at, at],
    record: { __proto__x: { at } },
    tuple: [NOON, at],
    either: at,
    text: NOON,
    kind: { type: 'day', on: at },
    word: { type: 'word', on: NOON },
    node: { at, next: { at } },
    both: { a: at, b: at },
    later: new Date(0),
    stamp: NOON,
  });
});

test('the checks of the library see the Date', async () => {
  verifies('tools.define.dates');
  const input = z.object({ at: z.date().min(new Date('2026-01-01T00:00:00Z')) });
  expect(await read(input, { at: NOON })).toEqual({ at: new Date(NOON) });
  expect(await read(input, { at: '2025-01-01T00:00:00Z' })).toMatch(/\/at: Too small/);
});

test('deep alternatives are read in time in proportion to their size', async () => {
  verifies('tools.define.dates');
  const node = z.object({
    at: z.date(),
    get next(): z.ZodType {
      return z.union([node, other]).optional();
    },
  });
  const other = z.object({
    at: z.date(),
    end: z.boolean(),
    get next(): z.ZodType {
      return z.union([node, other]).optional();
    },
  });
  let value: object = { at: NOON };
  for (let level = 0; level < 60; level += 1) value = { at: NOON, next: value };
  expect(await read(z.object({ node }), { node: value })).toMatchObject({ node: { at: new Date(NOON) } });
});

test('an output with a date is text too', async () => {
  verifies('tools.define.dates');
  const tool = defineTool({
    name: 'now',
    description: 'Tells the time.',
    effect: 'read',
    input: z.object({}),
    output: z.object({ at: z.date() }),
    handler: () => ({ at: new Date(NOON) }),
  });
  const result = await createRegistry([tool]).execute('now', {});
  expect(result.data).toEqual({ at: '2026-11-25T12:00:00.000Z' });
  expectTypeOf(result.data).toEqualTypeOf<{ at: string } | undefined>();
});

test.each([
  ['bigint', z.bigint()],
  ['undefined', z.undefined()],
  ['a Map', z.map(z.string(), z.number())],
  ['a custom type', z.custom(() => true)],
  ['a literal of bigint', z.literal(5n)],
])('what JSON has no form for is still refused beside a date: %s', (_, schema) => {
  verifies('tools.define.dates');
  expect(() => booking(z.object({ at: z.date(), schema }))).toThrow('cannot be represented');
});

test('a schema of zod/mini works by the line that its hint names', async () => {
  verifies('tools.define.libraries');
  const input = mini.object({ at: mini.date(), days: mini.optional(mini.int()) });
  const define = (given: never) => defineTool({ name: 'x', description: '', input: given, handler: () => '' });
  const error = caught(() => define(input as never));
  expect(error).toMatchObject({ code: 'TOOL_SCHEMA_INVALID', hint: expect.stringContaining('z.toJSONSchema(schema)') });
  const tool = defineTool({
    name: 'x',
    description: '',
    input: mini.toJSONSchema(input, { unrepresentable: 'any' }),
    handler: ({ at, days = 3 }) => `${at.getTime()} ${days}`,
  });
  expect((await createRegistry([tool]).execute('x', JSON.stringify({ at: NOON }))).forLLM).toBe(
    `${Date.parse(NOON)} 3`,
  );
});
