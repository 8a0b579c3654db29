import { equalJson, pointerToken } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { isSchema, isSchemaObject, type Schema, type SchemaIndex } from '@kernel/schema';
import type { Spend } from './budget.ts';
import type { Warn } from './conversion.ts';

/** A schema without `$ref`, `allOf`, `anyOf` and `oneOf` at its top level. */
export type FlatSchema = JsonSchema;

/** With more alternatives, servers reject the grammar. */
const MAX_ALTERNATIVES = 64;
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf'];

export interface FlattenContext {
  readonly index: SchemaIndex;
  /** Counts the schemas that are visited. */
  readonly spend: Spend;
}

/** Returns the alternatives that together accept what the schema accepts; none for a schema that accepts nothing. */
export function flatten(
  schema: Schema,
  pointer: string,
  context: FlattenContext,
  warn: Warn,
  ancestors: ReadonlySet<Schema> = new Set(),
): readonly FlatSchema[] {
  const { index, spend } = context;
  spend(1);
  if (typeof schema === 'boolean') return schema ? [{}] : [];
  if (ancestors.has(schema)) {
    warn(pointer, '$ref', 'weaker');
    return [{}];
  }
  const inner = new Set([...ancestors, schema]);
  const isDraft7 = index.resourceOf(schema).dialect.draft === 'draft-07';
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? index.resolve(reference, index.resourceOf(schema)) : undefined;
  if (target !== undefined && isDraft7) return flatten(target.schema, pointer, context, warn, inner);

  const uncombined = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !COMBINING.includes(keyword)));
  let alternatives: readonly FlatSchema[] = [uncombined];
  const intersect = (others: readonly FlatSchema[], keyword: string): void => {
    if (alternatives.length * others.length > MAX_ALTERNATIVES) warn(pointer, keyword, 'weaker');
    else {
      spend(alternatives.length * others.length);
      alternatives = alternatives.flatMap((one) => others.flatMap((other) => mergeFlat(one, other, pointer, warn)));
    }
  };
  if (target !== undefined) intersect(flatten(target.schema, pointer, context, warn, inner), '$ref');
  for (const [position, part] of schemasOf(schema, 'allOf').entries())
    intersect(flatten(part, `${pointer}/allOf/${position}`, context, warn, inner), 'allOf');
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = schemasOf(schema, keyword);
    if (parts.length === 0) continue;
    const branches = parts.map((part, position) =>
      flatten(part, `${pointer}/${keyword}/${position}`, context, warn, inner),
    );
    if (keyword === 'oneOf' && !areDisjoint(branches)) warn(pointer, 'oneOf', 'weaker');
    intersect(branches.flat(), keyword);
  }
  return alternatives;
}

export function schemasOf(schema: JsonSchema, keyword: string): readonly Schema[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** Whether no value can match two branches: their types differ, or the constant values of a required property. */
export function areDisjoint(branches: readonly (readonly FlatSchema[])[]): boolean {
  const pairs = branches.flatMap((a, index) => branches.slice(index + 1).map((b) => [a, b] as const));
  return pairs.every(([a, b]) => a.every((one) => b.every((other) => isDisjoint(one, other))));
}

function isDisjoint(a: FlatSchema, b: FlatSchema): boolean {
  const [types, others] = [typesOf(a), typesOf(b)];
  if (
    types !== undefined &&
    others !== undefined &&
    !types.some((type) => others.some((other) => overlaps(type, other)))
  )
    return true;
  const [values, otherValues] = [valuesOf(a), valuesOf(b)];
  if (values !== undefined && otherValues !== undefined)
    return !values.some((one) => otherValues.some((two) => equalJson(one, two)));
  const required = namesOf(a, 'required').filter((name) => namesOf(b, 'required').includes(name));
  if (typesOf(a)?.join() !== 'object' || typesOf(b)?.join() !== 'object') return false;
  return required.some((name) => {
    const [one, two] = [propertiesOf(a).get(name), propertiesOf(b).get(name)];
    return (
      isSchemaObject(one) &&
      isSchemaObject(two) &&
      !COMBINING.some((key) => key in one || key in two) &&
      isDisjoint(one, two)
    );
  });
}

const overlaps = (a: string, b: string): boolean => a === b || [a, b].toSorted().join() === 'integer,number';

export function typesOf(schema: FlatSchema): readonly string[] | undefined {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : undefined;
}

export function valuesOf(schema: FlatSchema): readonly unknown[] | undefined {
  const listed: readonly unknown[] | undefined = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (!Object.hasOwn(schema, 'const')) return listed;
  const only = schema['const'];
  return listed === undefined || listed.some((value) => equalJson(value, only)) ? [only] : [];
}

export function namesOf(schema: FlatSchema, keyword: string): readonly string[] {
  const names = schema[keyword];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

export function propertiesOf(schema: FlatSchema): ReadonlyMap<string, Schema> {
  const properties = schema['properties'];
  if (!isSchemaObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, value]) => (isSchema(value) ? [[name, value] as const] : [])),
  );
}

/** Returns one schema for values that match both; none if no value can. Warns of keywords that cannot be combined. */
function mergeFlat(a: FlatSchema, b: FlatSchema, pointer: string, warn: Warn): readonly FlatSchema[] {
  const merged = new Map<string, unknown>(Object.entries(a));
  for (const [keyword, value] of Object.entries(b)) {
    const before = merged.get(keyword);
    if (before === undefined) merged.set(keyword, value);
    else if (LOWER_BOUNDS.has(keyword)) merged.set(keyword, Math.max(Number(before), Number(value)));
    else if (UPPER_BOUNDS.has(keyword)) merged.set(keyword, Math.min(Number(before), Number(value)));
    else if (keyword === 'required')
      merged.set(keyword, [...new Set([...namesOf(a, keyword), ...namesOf(b, keyword)])]);
    else if (keyword === 'items' || keyword === 'additionalItems') merged.set(keyword, { allOf: [before, value] });
    else if (RESTRICTING.has(keyword) && !equalJson(before, value))
      warn(`${pointer}/${pointerToken(keyword)}`, keyword, 'weaker');
  }
  const [types, others] = [typesOf(a), typesOf(b)];
  if (types !== undefined && others !== undefined) {
    const common = ['integer', 'number', 'string', 'boolean', 'null', 'array', 'object'].filter(
      (type) => accepts(types, type) && accepts(others, type),
    );
    if (common.length === 0) return [];
    merged.set('type', common);
  }
  const [values, otherValues] = [valuesOf(a), valuesOf(b)];
  if (values !== undefined && otherValues !== undefined) {
    merged.delete('const');
    merged.set(
      'enum',
      values.filter((one) => otherValues.some((other) => equalJson(one, other))),
    );
  }
  if (
    ['properties', 'additionalProperties'].some(
      (keyword) => keyword in a && (keyword in b || 'properties' in b || 'additionalProperties' in b),
    )
  )
    mergeProperties(a, b, merged);
  return [Object.fromEntries(merged)];
}

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

/** A schema for what both accept; an absent one accepts everything. */
function intersection(one: unknown, two: unknown): unknown {
  if (one === undefined || one === true) return two ?? true;
  if (two === undefined || two === true) return one;
  return one === false || two === false ? false : { allOf: [one, two] };
}

function mergeProperties(a: FlatSchema, b: FlatSchema, merged: Map<string, unknown>): void {
  const [first, second] = [propertiesOf(a), propertiesOf(b)];
  const names = [...new Set([...first.keys(), ...second.keys()])];
  const [rest, otherRest] = [a, b].map((schema) =>
    'patternProperties' in schema ? true : schema['additionalProperties'],
  );
  merged.set(
    'properties',
    Object.fromEntries(
      names.map((name) => [name, intersection(first.get(name) ?? rest, second.get(name) ?? otherRest)]),
    ),
  );
  merged.set('additionalProperties', intersection(rest, otherRest));
}

const LOWER_BOUNDS = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const UPPER_BOUNDS = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const RESTRICTING = new Set(
  'pattern format multipleOf prefixItems patternProperties not if then else contains propertyNames dependentRequired dependentSchemas dependencies unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
);
