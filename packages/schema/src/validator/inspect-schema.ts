import { isObject, pointerToken, truncate } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { TYPE_NAMES } from './assertions.ts';
import { invalidSchema } from './deep-freeze-copy.ts';
import { KEYWORDS, type KeywordKind, metaSchemas } from './keywords.ts';
import { createPatternTest, isSlowPattern } from './pattern.ts';
import { type Schema, type SchemaIndex, indexSchema, isSchema, isSchemaObject, subschemas } from './schema-index.ts';

/** How many schemas may apply to one value: more than this is an attack, not a description. */
const MAX_COST = 50_000;

/**
 * Checks a whole schema before it validates any value: keyword values, references, patterns, loops and expansion.
 *
 * Throws `TOOL_SCHEMA_INVALID` with a JSON pointer to what is wrong. Fetches nothing and takes at most about 200 ms. With `allowsSlowPatterns` a pattern that
 * can hang is not wrong: a validator interrupts it, and the value does not pass.
 */
export function inspectSchema(
  schema: JsonSchema,
  subject: string,
  {
    allowsSlowPatterns = false,
  }: {
    /** Whether a pattern may be one that can hang. Default false. */
    readonly allowsSlowPatterns?: boolean;
  } = {},
): void {
  const index = indexSchema(schema, { documents: metaSchemas() });
  const patterns: { readonly source: string; readonly pointer: string }[] = [];
  const visit = (value: Schema, pointer: string): void => {
    if (!isSchemaObject(value)) return;
    for (const [keyword, content] of Object.entries(value)) {
      const problem = keywordProblem(keyword, content);
      if (problem !== undefined) throw invalidSchema(subject, `${pointer}/${pointerToken(keyword)}`, problem);
    }
    checkReferences(value, pointer);
    if (typeof value['pattern'] === 'string')
      patterns.push({ source: value['pattern'], pointer: `${pointer}/pattern` });
    for (const source of Object.keys(mapOf(value['patternProperties']))) {
      patterns.push({ source, pointer: `${pointer}/patternProperties/${pointerToken(source)}` });
    }
    for (const child of subschemas(value))
      visit(child.schema, `${pointer}/${child.tokens.map(pointerToken).join('/')}`);
  };
  const checkReferences = (value: JsonSchema, pointer: string): void => {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = value[keyword];
      if (typeof reference !== 'string' || index.resolve(reference, index.resourceOf(value)) !== undefined) continue;
      const local = reference.startsWith('#');
      throw invalidSchema(
        subject,
        `${pointer}/${keyword}`,
        local
          ? `does not resolve ("${truncate(reference, 80)}")`
          : `is remote ("${truncate(reference, 80)}") and is never fetched`,
        local ? 'Put the schema under "$defs".' : 'Put the schema under "$defs" and refer to it by "#/$defs/…".',
      );
    }
  };
  visit(schema, '');
  checkPatterns(patterns, subject, allowsSlowPatterns);
  checkCost(schema, index, subject);
}

function checkPatterns(
  patterns: readonly { readonly source: string; readonly pointer: string }[],
  subject: string,
  allowsSlowPatterns: boolean,
): void {
  for (const { source, pointer } of patterns) {
    try {
      createPatternTest(source);
    } catch {
      throw invalidSchema(subject, pointer, `is not a valid regular expression ("${truncate(source, 80)}")`);
    }
  }
  const slow = allowsSlowPatterns ? undefined : patterns.find(({ source }) => isSlowPattern(source));
  if (slow === undefined) return;
  const hint =
    'Write it without a repetition that contains another one, or an alternative, that can match the same text: ^(a+-?)+$ as ^a+(-a+)*-?$.';
  throw invalidSchema(subject, slow.pointer, `can hang on some texts ("${truncate(slow.source, 80)}")`, hint);
}

/** Rejects a schema that applies itself to the same value endlessly, or so often that validation would not finish. */
function checkCost(schema: JsonSchema, index: SchemaIndex, subject: string): void {
  const costs = new Map<JsonSchema, number>();
  const visiting = new Set<JsonSchema>();
  // Errors behind a reference point at the reference: that is what has to be changed.
  const costOf = (value: Schema, pointer: string, referenced = false): number => {
    if (!isSchemaObject(value)) return 1;
    const cached = costs.get(value);
    if (cached !== undefined) return cached;
    if (visiting.has(value))
      throw invalidSchema(subject, pointer, 'refers to itself without descending into the value');
    visiting.add(value);
    let cost = 1;
    for (const [child, tokens] of appliedSchemas(value, index)) {
      cost += costOf(child, referenced ? pointer : `${pointer}/${tokens}`, referenced || REFERENCES.includes(tokens));
    }
    visiting.delete(value);
    costs.set(value, cost);
    if (cost > MAX_COST) throw invalidSchema(subject, pointer, 'applies too many schemas to one value');
    return cost;
  };
  const visit = (value: Schema, pointer: string): void => {
    costOf(value, pointer);
    if (!isSchemaObject(value)) return;
    for (const child of subschemas(value))
      visit(child.schema, `${pointer}/${child.tokens.map(pointerToken).join('/')}`);
  };
  visit(schema, '');
}

const REFERENCES: readonly string[] = ['$ref', '$dynamicRef'];

/** Yields each schema with its JSON pointer relative to the value. */
function* appliedSchemas(value: JsonSchema, schemas: SchemaIndex): Generator<readonly [Schema, string]> {
  for (const keyword of REFERENCES) {
    const reference = value[keyword];
    const target = typeof reference === 'string' ? schemas.resolve(reference, schemas.resourceOf(value)) : undefined;
    if (target !== undefined) yield [target.schema, keyword];
  }
  for (const keyword of ['not', 'if', 'then', 'else']) {
    const child = value[keyword];
    if (isSchema(child)) yield [child, keyword];
  }
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = value[keyword];
    for (const [index, child] of (Array.isArray(list) ? list : []).entries()) {
      if (isSchema(child)) yield [child, `${keyword}/${index}`];
    }
  }
  for (const keyword of ['dependentSchemas', 'dependencies']) {
    for (const [name, child] of Object.entries(mapOf(value[keyword]))) {
      if (isSchema(child)) yield [child, `${keyword}/${pointerToken(name)}`];
    }
  }
}

const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string');
const isMap = (value: unknown, test: (item: unknown) => boolean): boolean =>
  isObject(value) && Object.values(value).every((item) => test(item));
const isSchemas = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((item) => isSchema(item));
const unless = (holds: boolean, problem: string): string | undefined => (holds ? undefined : problem);

const PROBLEMS: Readonly<Record<KeywordKind, (value: unknown) => string | undefined>> = {
  schema: (value) => unless(isSchema(value), 'must be a schema: an object or a boolean'),
  schemas: (value) => unless(isSchemas(value), 'must be an array of schemas with at least one'),
  items: (value) => unless(isSchema(value) || isSchemas(value), 'must be a schema'),
  'schema-map': (value) => unless(isMap(value, isSchema), 'must be an object whose values are schemas'),
  dependencies: (value) =>
    unless(
      isMap(value, (item) => isSchema(item) || isNames(item)),
      'must map to schemas or names',
    ),
  types(value) {
    const names: readonly unknown[] = Array.isArray(value) ? value : [value];
    const wrong = names.find((name) => !TYPE_NAMES.some((type) => type === name));
    if (wrong === undefined) return unless(!Array.isArray(value) || value.length > 0, 'must name a type');
    return `must be one of ${TYPE_NAMES.join(', ')}, not ${truncate(JSON.stringify(wrong), 80)}`;
  },
  values: (value) => unless(Array.isArray(value) && value.length > 0, 'must be an array of at least one value'),
  names: (value) => unless(isNames(value), 'must be an array of property names'),
  'names-map': (value) => unless(isMap(value, isNames), 'must map to lists of property names'),
  count: (value) =>
    unless(typeof value === 'number' && Number.isInteger(value) && value >= 0, 'must be a whole number, 0 or more'),
  number: (value) => unless(typeof value === 'number', 'must be a number'),
  step: (value) => unless(typeof value === 'number' && value > 0, 'must be a number above 0'),
  flag: (value) => unless(typeof value === 'boolean', 'must be true or false'),
  text: (value) => unless(typeof value === 'string', 'must be text'),
};

/** Returns a text such as `must be text`, or undefined for a right value and for unknown keywords. */
export function keywordProblem(keyword: string, value: unknown): string | undefined {
  const kind = KEYWORDS.get(keyword);
  return kind === undefined ? undefined : PROBLEMS[kind](value);
}

function mapOf(value: unknown): JsonSchema {
  return isSchemaObject(value) ? value : {};
}
