import type { JsonSchema } from '@kernel/protocol';
import { isSchemaObject } from '../validator/schema-index.ts';

/** Keywords that strict modes reject and that cannot be left out without a change of meaning. */
const REFUSED = 'allOf not if dependentRequired dependentSchemas patternProperties propertyNames prefixItems'.split(
  ' ',
);
/** One of these says of what kind a value is, without which strict modes refuse a schema. */
const KINDS = ['type', 'enum', 'const', 'anyOf', '$ref'];
const MAX_DEPTH = 100;

/**
 * Returns the schema as strict modes accept it, or undefined if they cannot express it: every object is closed, every property is required, and one
 * that was optional may be null. `oneOf` becomes `anyOf`. A schema beyond the limits of strict modes is undefined too, and so
 * is one with a part that takes any value.
 *
 * A value that fits the result fits the schema once its nulls for optional properties are removed, as `coerceValue` does.
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const result = strict(schema, 0);
  return result !== undefined && isWithinStrictLimits(result) ? result : undefined;
}

function strict(schema: JsonSchema, depth: number): JsonSchema | undefined {
  if (depth > MAX_DEPTH || REFUSED.some((keyword) => Object.hasOwn(schema, keyword))) return undefined;
  const { oneOf, ...rest } = schema;
  if (oneOf !== undefined && rest['anyOf'] !== undefined) return undefined;
  const result: Record<string, unknown> = oneOf === undefined ? { ...rest } : { ...rest, anyOf: oneOf };
  for (const keyword of ['$defs', 'definitions']) if (!rewriteMap(result, keyword, depth)) return undefined;
  if (!rewriteBranches(result, depth) || !rewriteItems(result, depth)) return undefined;
  if (!KINDS.some((keyword) => Object.hasOwn(result, keyword))) return undefined;
  return closeObject(result, depth) ? result : undefined;
}

/** Rewrites in place. Returns false if one of the schemas has no strict form. */
function rewriteMap(schema: Record<string, unknown>, keyword: string, depth: number): boolean {
  const map = schema[keyword];
  if (!isSchemaObject(map)) return map === undefined;
  const entries = Object.entries(map).map(([name, inner]) => [name, strictOf(inner, depth)] as const);
  if (entries.some(([, inner]) => inner === undefined)) return false;
  schema[keyword] = Object.fromEntries(entries);
  return true;
}

function rewriteBranches(schema: Record<string, unknown>, depth: number): boolean {
  const branches = schema['anyOf'];
  if (branches === undefined) return true;
  if (!Array.isArray(branches)) return false;
  const rewritten = branches.map((branch: unknown) => strictOf(branch, depth));
  schema['anyOf'] = rewritten;
  return !rewritten.includes(undefined);
}

function rewriteItems(schema: Record<string, unknown>, depth: number): boolean {
  if (schema['items'] === undefined) return true;
  const items = strictOf(schema['items'], depth);
  schema['items'] = items;
  return items !== undefined;
}

/** False for an object that allows properties without a name. */
function closeObject(schema: Record<string, unknown>, depth: number): boolean {
  const isObject = [schema['type']].flat().includes('object') || schema['properties'] !== undefined;
  if (!isObject) return true;
  const { properties = {}, additionalProperties } = schema;
  const isOpen = additionalProperties !== undefined && additionalProperties !== false;
  if (isOpen || !isSchemaObject(properties) || !rewriteMap(schema, 'properties', depth)) return false;
  const required = new Set<unknown>([schema['required'] ?? []].flat());
  const entries = Object.entries(isSchemaObject(schema['properties']) ? schema['properties'] : {});
  schema['properties'] = Object.fromEntries(
    entries.map(([name, inner]) => [name, required.has(name) || !isSchemaObject(inner) ? inner : orNull(inner)]),
  );
  schema['required'] = entries.map(([name]) => name);
  schema['additionalProperties'] = false;
  return true;
}

function orNull(schema: JsonSchema): JsonSchema {
  const { default: _default, description, ...rest } = schema;
  const described = description === undefined ? {} : { description };
  const type = rest['type'];
  if (typeof type === 'string' && rest['enum'] === undefined && rest['const'] === undefined)
    return { ...rest, ...described, type: type === 'null' ? type : [type, 'null'] };
  return { ...described, anyOf: [rest, { type: 'null' }] };
}

function strictOf(value: unknown, depth: number): JsonSchema | undefined {
  return isSchemaObject(value) ? strict(value, depth + 1) : undefined;
}

// What OpenAI's strict mode takes at most, from https://platform.openai.com/docs/guides/structured-outputs#supported-schemas (2026-11).
const MAX_PROPERTIES = 5_000;
const MAX_NESTED_OBJECTS = 10;
const MAX_ENUM_VALUES = 1_000;
const MAX_NAME_LENGTH = 120_000;
const LONG_ENUM = 250;
const MAX_LONG_ENUM_LENGTH = 15_000;

export function isWithinStrictLimits(schema: JsonSchema): boolean {
  const total = { properties: 0, enumValues: 0, nameLength: 0 };

  function countNames(names: readonly unknown[]): number {
    const length = names.reduce<number>((sum, name) => sum + (typeof name === 'string' ? name.length : 0), 0);
    total.nameLength += length;
    return length;
  }

  function count(value: unknown, objects: number): boolean {
    if (!isSchemaObject(value)) return true;
    const { properties, enum: values, const: constant } = value;
    const maps = [properties, value['$defs'], value['definitions']].filter(isSchemaObject);
    for (const map of maps) countNames(Object.keys(map));
    countNames([constant]);
    if (Array.isArray(values)) {
      total.enumValues += values.length;
      if (countNames(values) > MAX_LONG_ENUM_LENGTH && values.length > LONG_ENUM) return false;
    }
    const depth = isSchemaObject(properties) ? objects + 1 : objects;
    if (isSchemaObject(properties)) total.properties += Object.keys(properties).length;
    if (depth > MAX_NESTED_OBJECTS || total.properties > MAX_PROPERTIES) return false;
    if (total.enumValues > MAX_ENUM_VALUES || total.nameLength > MAX_NAME_LENGTH) return false;
    const branches: readonly unknown[] = Array.isArray(value['anyOf']) ? value['anyOf'] : [];
    const inner = [...maps.flatMap((map) => Object.values(map)), value['items'], ...branches];
    return inner.every((each) => count(each, depth));
  }

  return count(schema, 0);
}
