export type KeywordKind =
  | 'schema'
  | 'schemas'
  | 'items'
  | 'schema-map'
  | 'dependencies'
  | 'types'
  | 'values'
  | 'names'
  | 'names-map'
  | 'count'
  | 'number'
  | 'step'
  | 'flag'
  | 'text';

const KINDS: readonly (readonly [KeywordKind, string])[] = [
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
];

/** Unknown keywords are ignored, as both drafts require. */
export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map(
  KINDS.flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind] as const)),
);
