import type { JsonSchema } from '@kernel/protocol';
import { escapeToken } from '../schema/check.ts';
import { isEqual } from '../schema/equal.ts';
import { type Schema, type SchemaIndex, isSchema, isSchemaObject } from '../schema/schema-index.ts';
import type { Warn } from './warning.ts';

/** A schema without `$ref`, `allOf`, `anyOf` and `oneOf`. Property and item schemas may have them. */
export type FlatSchema = JsonSchema;

/** More alternatives than this make a grammar that no server reads. */
const MAX_ALTERNATIVES = 64;
const COMBINING = ['$ref', 'allOf', 'anyOf', 'oneOf'];

/** Returns the alternatives that together accept what a schema accepts: none for a schema that accepts nothing. */
export function flatten(
  schema: Schema,
  at: string,
  index: SchemaIndex,
  warn: Warn,
  open: ReadonlySet<Schema> = new Set(),
): readonly FlatSchema[] {
  if (typeof schema === 'boolean') return schema ? [{}] : [];
  if (open.has(schema)) {
    warn(at, '$ref', 'weaker');
    return [{}];
  }
  const inside = new Set([...open, schema]);
  const isDraft7 = index.resourceOf(schema).dialect.draft === 'draft-07';
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? index.resolve(reference, index.resourceOf(schema)) : undefined;
  if (target !== undefined && isDraft7) return flatten(target.schema, at, index, warn, inside);

  const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !COMBINING.includes(keyword)));
  let found: readonly FlatSchema[] = [own];
  const meet = (others: readonly FlatSchema[], keyword: string): void => {
    if (found.length * others.length > MAX_ALTERNATIVES) warn(at, keyword, 'weaker');
    else found = found.flatMap((one) => others.flatMap((other) => mergeFlat(one, other, at, warn)));
  };
  if (target !== undefined) meet(flatten(target.schema, at, index, warn, inside), '$ref');
  for (const [place, part] of schemasOf(schema, 'allOf').entries())
    meet(flatten(part, `${at}/allOf/${place}`, index, warn, inside), 'allOf');
  for (const keyword of ['anyOf', 'oneOf']) {
    const parts = schemasOf(schema, keyword);
    if (parts.length === 0) continue;
    const branches = parts.map((part, place) => flatten(part, `${at}/${keyword}/${place}`, index, warn, inside));
    if (keyword === 'oneOf' && !areApart(branches)) warn(at, 'oneOf', 'weaker');
    meet(branches.flat(), keyword);
  }
  return found;
}

/** The schemas in a list keyword. */
export function schemasOf(schema: JsonSchema, keyword: string): readonly Schema[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list.filter(isSchema) : [];
}

/** Says whether no value can fit two branches: their types or the fixed values of a required property differ. */
export function areApart(branches: readonly (readonly FlatSchema[])[]): boolean {
  const pairs = branches.flatMap((a, at) => branches.slice(at + 1).map((b) => [a, b] as const));
  return pairs.every(([a, b]) => a.every((one) => b.every((other) => apart(one, other))));
}

function apart(a: FlatSchema, b: FlatSchema): boolean {
  const [types, others] = [typesOf(a), typesOf(b)];
  if (
    types !== undefined &&
    others !== undefined &&
    !types.some((type) => others.some((other) => sameKind(type, other)))
  )
    return true;
  const [values, otherValues] = [valuesOf(a), valuesOf(b)];
  if (values !== undefined && otherValues !== undefined)
    return !values.some((one) => otherValues.some((two) => isEqual(one, two)));
  const required = namesOf(a, 'required').filter((name) => namesOf(b, 'required').includes(name));
  if (typesOf(a)?.join() !== 'object' || typesOf(b)?.join() !== 'object') return false;
  return required.some((name) => {
    const [one, two] = [propertiesOf(a).get(name), propertiesOf(b).get(name)];
    return (
      isSchemaObject(one) &&
      isSchemaObject(two) &&
      !COMBINING.some((key) => key in one || key in two) &&
      apart(one, two)
    );
  });
}

const sameKind = (a: string, b: string): boolean => a === b || [a, b].toSorted().join() === 'integer,number';

/** The types that a flat schema names; `undefined` for any. */
export function typesOf(schema: FlatSchema): readonly string[] | undefined {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string') : undefined;
}

/** The values that `const` and `enum` leave; `undefined` for any. */
export function valuesOf(schema: FlatSchema): readonly unknown[] | undefined {
  const listed: readonly unknown[] | undefined = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  if (!Object.hasOwn(schema, 'const')) return listed;
  const only = schema['const'];
  return listed === undefined || listed.some((value) => isEqual(value, only)) ? [only] : [];
}

/** The names in a list keyword. */
export function namesOf(schema: FlatSchema, keyword: string): readonly string[] {
  const names = schema[keyword];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

/** The declared properties in their order. */
export function propertiesOf(schema: FlatSchema): ReadonlyMap<string, Schema> {
  const properties = schema['properties'];
  if (!isSchemaObject(properties)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, value]) => (isSchema(value) ? [[name, value] as const] : [])),
  );
}

/** Both schemas as one; none when no value can fit both. What cannot be said in one is warned of. */
function mergeFlat(a: FlatSchema, b: FlatSchema, at: string, warn: Warn): readonly FlatSchema[] {
  const merged = new Map<string, unknown>(Object.entries(a));
  for (const [keyword, value] of Object.entries(b)) {
    const before = merged.get(keyword);
    if (before === undefined) merged.set(keyword, value);
    else if (LARGER.has(keyword)) merged.set(keyword, Math.max(Number(before), Number(value)));
    else if (SMALLER.has(keyword)) merged.set(keyword, Math.min(Number(before), Number(value)));
    else if (keyword === 'required')
      merged.set(keyword, [...new Set([...namesOf(a, keyword), ...namesOf(b, keyword)])]);
    else if (keyword === 'items' || keyword === 'additionalItems') merged.set(keyword, { allOf: [before, value] });
    else if (STRONG.has(keyword) && !isEqual(before, value)) warn(`${at}/${escapeToken(keyword)}`, keyword, 'weaker');
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
      values.filter((one) => otherValues.some((other) => isEqual(one, other))),
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

/** What both schemas accept; an absent one accepts all. */
function both(one: unknown, two: unknown): unknown {
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
    Object.fromEntries(names.map((name) => [name, both(first.get(name) ?? rest, second.get(name) ?? otherRest)])),
  );
  merged.set('additionalProperties', both(rest, otherRest));
}

const LARGER = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLER = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const STRONG = new Set(
  'pattern format multipleOf prefixItems patternProperties not if then else contains propertyNames dependentRequired dependentSchemas dependencies unevaluatedProperties unevaluatedItems'.split(
    ' ',
  ),
);
