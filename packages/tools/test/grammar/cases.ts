import type { JsonSchema } from '@kernel/protocol';
import type { GrammarOptions } from '../../src/grammar/index.ts';

/** A schema, texts that its grammar accepts, and texts that it refuses. The judge runs these as well. */
export interface GrammarCase {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly options?: GrammarOptions;
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const optionals = { a: { type: 'integer' }, b: { type: 'integer' }, c: { type: 'integer' } };

export const CASES: readonly GrammarCase[] = [
  {
    name: 'an enum, a const or an anyOf never lets the text end early',
    schema: {
      type: 'object',
      properties: {
        u: { enum: ['a"b', 'c\\', '\n', 1, null] },
        k: { const: 'x' },
        v: { anyOf: [{ type: 'integer' }, { const: 'y' }] },
      },
      required: ['u', 'k', 'v'],
      additionalProperties: false,
    },
    yes: [
      '{"u":"a\\"b","k":"x","v":5}',
      '{"u":"c\\\\","k":"x","v":"y"}',
      '{"u":"\\n","k":"x","v":1}',
      '{"u":null,"k":"x","v":1}',
    ],
    no: [
      '{"u":"a\\"b"',
      '{"u":"a\\"b","k":"x","v":"y"',
      '{"u":"a"b","k":"x","v":1}',
      '"c\\\\"',
      '{"u":"c\\","k":"x","v":1}',
    ],
  },
  {
    name: 'any subset of optional properties stands without stray commas',
    schema: { type: 'object', properties: optionals, additionalProperties: false },
    yes: [
      '{}',
      '{"a":1}',
      '{"b":1}',
      '{"c":1}',
      '{"a":1,"b":1}',
      '{"a":1,"c":1}',
      '{"b":1,"c":1}',
      '{"a":1,"b":1,"c":1}',
    ],
    no: ['{,}', '{,"a":1}', '{"a":1,}', '{"a":1,,"c":1}', '{"a":1"b":1}', '{"b":1,"a":1}', '{"d":1}', '{"a":1,"d":1}'],
  },
  {
    name: 'a required property in the middle stands always, with the right commas',
    schema: { type: 'object', properties: optionals, required: ['b'], additionalProperties: { type: 'null' } },
    yes: ['{"b":1}', '{"a":1,"b":1}', '{"b":1,"c":1,"d":null}', '{"b":1,"abc":null,"":null}', '{"b":1,"\\n":null}'],
    no: [
      '{}',
      '{"a":1}',
      '{"a":1,"c":1}',
      '{"b":1,"d":1}',
      '{"b":1,"a":null}',
      '{"b":1,"\\u0061":null}',
      '{"d":null,"b":1}',
    ],
  },
  {
    name: 'a recursive reference becomes a recursive rule',
    schema: {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { v: { type: 'integer' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
          required: ['v'],
          additionalProperties: false,
        },
      },
    },
    yes: ['{"v":1}', '{"v":1,"next":null}', '{"v":1,"next":{"v":2,"next":{"v":3}}}'],
    no: ['{"v":1,"next":{}}', '{"v":1,"next":{"v":2}', '{"next":null}'],
  },
  {
    name: 'references that meet in allOf stay recursive',
    schema: {
      allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
      $defs: {
        a: { type: 'object', properties: { kid: { $ref: '#/$defs/a' } } },
        b: { type: 'object', properties: { kid: { $ref: '#/$defs/b' }, n: { type: 'integer' } }, required: ['n'] },
      },
    },
    yes: ['{"n":1}', '{"kid":{"n":2},"n":1}', '{"kid":{"kid":{"n":3},"n":2},"n":1}'],
    no: ['{}', '{"kid":{},"n":1}', '{"kid":{"kid":{},"n":2},"n":1}'],
  },
  {
    name: 'strings and keys hold no raw control characters, and escapes are right',
    schema: {
      type: 'object',
      properties: { 'q"\\\n': { type: 'string' } },
      required: ['q"\\\n'],
      additionalProperties: false,
    },
    yes: ['{"q\\"\\\\\\n":"a\\u0001\\n\\"\\\\é😀\\ud83d\\ude00"}'],
    no: [
      '{"q\\"\\\\\\n":"a\nb"}',
      '{"q\\"\\\\\\n":"a\u0001"}',
      '{"q"\\\\\\n":""}',
      '{"q\\"\\\\\n":""}',
      '{"q\\"\\\\\\n":"\\x"}',
      '{"q\\"\\\\\\n":"\\u12"}',
    ],
  },
  {
    name: 'integers keep both bounds',
    schema: { type: 'array', items: { type: 'integer', minimum: -15, maximum: 120 } },
    yes: ['[-15, -10, -9, -1, 0, 7, 10, 99, 100, 119, 120]'],
    no: ['[-16]', '[121]', '[-0]', '[007]', '[1.5]', '[1000]', '[-20]'],
  },
  {
    name: 'tuples and counts',
    schema: {
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'integer' }],
      items: { type: 'null' },
      minItems: 1,
      maxItems: 4,
    },
    yes: ['["a"]', '["a",1]', '["a",1,null]', '["a",1,null,null]'],
    no: ['[]', '[1]', '["a",null]', '["a",1,null,null,null]', '["a",]'],
  },
  {
    name: 'formats are held when asked for',
    schema: {
      type: 'array',
      items: { anyOf: ['date', 'time', 'date-time', 'uuid'].map((format) => ({ type: 'string', format })) },
    },
    options: { formats: true },
    yes: ['["2026-02-28","10:00:00Z","2026-02-28T10:00:00.5+01:00","123e4567-e89b-12d3-a456-426614174000"]'],
    no: ['["2026-13-01"]', '["soon"]', '["25:00:00Z"]'],
  },
  {
    name: 'compact JSON has no white space',
    schema: { type: 'object', properties: { a: { type: 'array', items: {} } } },
    options: { compact: true },
    yes: ['{"a":[1,{"b":[true,"x y"]}],"c":null}'],
    no: ['{ "a":[]}', '{"a": []}', '{"a":[1, 2]}', '{"a":[]}\n'],
  },
];
