import { TYPE_NAMES } from './assertions.ts';
import type { Schema } from './schema-index.ts';

const KINDS = [
  [
    'schema',
    'additionalProperties propertyNames additionalItems contains not if then else unevaluatedItems unevaluatedProperties',
  ],
  ['schemas', 'allOf anyOf oneOf prefixItems'],
  ['items', 'items'],
  ['schema-map', 'properties patternProperties dependentSchemas $defs definitions'],
  ['dependencies', 'dependencies'],
  ['types', 'type'],
  ['values', 'enum'],
  ['names', 'required'],
  ['names-map', 'dependentRequired'],
  ['count', 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'],
  ['number', 'minimum maximum exclusiveMinimum exclusiveMaximum'],
  ['step', 'multipleOf'],
  ['flag', 'uniqueItems'],
  ['text', 'pattern $ref $dynamicRef $anchor $dynamicAnchor $id'],
] as const;

export type KeywordKind = (typeof KINDS)[number][0];

/** Unknown keywords are ignored, as both drafts require. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map(
  KINDS.flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind] as const)),
);

const URIS = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema'];

let cached: ReadonlyMap<string, Schema> | undefined;

/** The meta-schemas under their official URIs, so that a tool can take a schema as an argument. Created at first use. */
export function metaSchemas(): ReadonlyMap<string, Schema> {
  cached ??= new Map(URIS.map((uri) => [uri, metaSchema(uri)]));
  return cached;
}

function metaSchema(uri: string): Schema {
  const self = { $ref: uri };
  const names = { type: 'array', items: { type: 'string' }, uniqueItems: true };
  const list = { type: 'array', items: self, minItems: 1 };
  const types = { enum: TYPE_NAMES };
  const kinds: Readonly<Record<KeywordKind, Schema>> = {
    schema: self,
    schemas: list,
    items: { anyOf: [self, list] },
    'schema-map': { type: 'object', additionalProperties: self },
    dependencies: { type: 'object', additionalProperties: { anyOf: [self, names] } },
    types: { anyOf: [types, { type: 'array', items: types, minItems: 1, uniqueItems: true }] },
    values: { type: 'array' },
    names,
    'names-map': { type: 'object', additionalProperties: names },
    count: { type: 'integer', minimum: 0 },
    number: { type: 'number' },
    step: { type: 'number', exclusiveMinimum: 0 },
    flag: { type: 'boolean' },
    text: { type: 'string' },
  };
  const properties = Object.fromEntries([...KEYWORDS].map(([keyword, kind]) => [keyword, kinds[kind]]));
  return { $id: uri, type: ['object', 'boolean'], properties };
}
