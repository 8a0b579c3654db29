// One tool, described with six schema libraries: each line that the guide names works, with the input typed.
import assert from 'node:assert/strict';
import { bindTool, createRegistry, defineTool } from '@kernel/tools';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Schema } from 'effect';
import { type Static, Type } from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { z as z3 } from 'zod/v3';
import * as mini from 'zod/mini';
import { zodToJsonSchema } from 'zod-to-json-schema';

const about = (name: string) => ({ name, description: 'Books a table.', effect: 'external' }) as const;

const ofZod = z.object({ at: z.date(), people: z.int().default(2) });
const withZod = defineTool({
  ...about('zod'),
  input: ofZod,
  handler: ({ at, people }) => `${at.toISOString()} for ${people}`,
});

const ofMini = mini.object({ at: mini.date(), people: mini.optional(mini.int()) });
const withMini = defineTool({
  ...about('zod_mini'),
  input: mini.toJSONSchema(ofMini, { unrepresentable: 'any' }),
  handler: ({ at, people = 2 }) => `${at.toISOString()} for ${people}`,
});

const ofZod3 = z3.object({ at: z3.string().datetime(), people: z3.number().int().default(2) });
const withZod3 = bindTool({ ...about('zod_3'), parameters: { ...zodToJsonSchema(ofZod3) } }, (input) => {
  const { at, people } = ofZod3.parse(input);
  return `${new Date(at).toISOString()} for ${people}`;
});

const ofValibot = v.object({ at: v.pipe(v.string(), v.isoTimestamp()), people: v.optional(v.number(), 2) });
const withValibot = defineTool({
  ...about('valibot'),
  input: toStandardJsonSchema(ofValibot),
  handler: ({ at, people }) => `${new Date(at).toISOString()} for ${people}`,
});

const ofTypeBox = Type.Object({ at: Type.String({ format: 'date-time' }), people: Type.Optional(Type.Integer()) });
const withTypeBox = bindTool<Static<typeof ofTypeBox>>(
  { ...about('typebox'), parameters: { ...ofTypeBox } },
  ({ at, people = 2 }) => `${new Date(at).toISOString()} for ${people}`,
);

const ofEffect = Schema.Struct({ at: Schema.String, people: Schema.optional(Schema.Number) });
const withEffect = defineTool({
  ...about('effect'),
  input: Schema.toStandardJSONSchemaV1(Schema.toStandardSchemaV1(ofEffect)),
  handler: ({ at, people = 2 }) => `${new Date(at).toISOString()} for ${people}`,
});

const registry = createRegistry([withZod, withMini, withZod3, withValibot, withTypeBox, withEffect]);
for (const { name } of registry.list()) {
  const booked = await registry.execute(name, '{"at": "2026-11-25T12:00:00Z"}');
  console.log(`${name}: ${booked.forLLM}`);
  assert.equal(booked.forLLM, '2026-11-25T12:00:00.000Z for 2');
  assert.match((await registry.execute(name, '{"at": 5, "people": "x"}')).forLLM, /^ARGUMENTS_INVALID/);
}

// Without its line, each schema is refused with a hint that names the line.
const hints = [ofMini, ofZod3, ofValibot, ofTypeBox, ofEffect].map((input) => {
  try {
    Reflect.apply(defineTool, undefined, [{ ...about('refused'), input, handler: () => '' }]);
  } catch (error) {
    return error instanceof Error && 'hint' in error ? String(error.hint) : '';
  }
  return '';
});
const lines = [
  'z.toJSONSchema(',
  'zodToJsonSchema(',
  'toStandardJsonSchema(',
  'parameters: { ...schema }',
  'toStandardJSONSchemaV1(',
];
assert.deepEqual(
  lines.filter((line, at) => !hints[at]?.includes(line)),
  [],
);
