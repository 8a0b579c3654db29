import { isObject, pointerToken } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { DialectLoss } from './dialects.ts';
import { followRefs, OPEN_OR_CLOSED, resolveRef, SCHEMA_LISTS, SCHEMA_MAPS, SCHEMAS } from './schema-node.ts';

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const ALIASES: ReadonlyMap<string, string> = new Map([
  ...['int', 'int32', 'int64', 'long'].map((alias) => [alias, 'integer'] as const),
  ...['float', 'double', 'decimal'].map((alias) => [alias, 'number'] as const),
  ...['str', 'text', 'date', 'datetime', 'uuid', 'file'].map((alias) => [alias, 'string'] as const),
  ...['dict', 'map', 'struct'].map((alias) => [alias, 'object'] as const),
  ...['list', 'tuple', 'set'].map((alias) => [alias, 'array'] as const),
  ['bool', 'boolean'],
  ['none', 'null'],
]);
const TEXTS = new Set(['description', 'title', 'format', 'pattern']);
const COUNTS = new Set(
  'minLength maxLength minItems maxItems minProperties maxProperties minimum maximum multipleOf'.split(' '),
);

/**
 * Reads a schema as its author meant it, in earlier drafts, OpenAPI or with misspelt types. Returns a sound one as it
 * is.
 */
export function soundSchema(schema: JsonSchema, report: (loss: DialectLoss) => void): JsonSchema {
  const told = (path: string, keyword: string, message: string): void => report({ path, keyword, message });

  function node(value: unknown, path: string): JsonSchema {
    if (isObject(value)) return ofObject(value, path);
    if (value === true) return {};
    if (value === false) return { not: {} };
    const type = typeof value === 'string' ? typeName(value) : undefined;
    told(path, 'type', `${JSON.stringify(value) ?? 'undefined'} is no schema: read as ${type ?? 'any value'}`);
    if (type !== undefined) return ofObject({ type }, path);
    return typeof value === 'string' ? { description: value } : {};
  }

  function ofObject(given: JsonSchema, path: string): JsonSchema {
    const out = new Map<string, unknown>();
    for (const [keyword, value] of Object.entries(given)) {
      const read = keywordOf(keyword, value, `${path}/${pointerToken(keyword)}`);
      if (read !== undefined) out.set(keyword, read);
    }
    liftFromProperties(given, out);
    draft4(given, out);
    asArray(out);
    const isSame = out.size === Object.keys(given).length && [...out].every(([key, value]) => given[key] === value);
    return isSame ? given : Object.fromEntries(out);
  }

  /** Undefined leaves the keyword out. */
  function keywordOf(keyword: string, value: unknown, path: string): unknown {
    const drop = (why: string): undefined => {
      told(path, keyword, `is left out: ${why}`);
    };
    if (keyword === '$schema') return typeof value === 'string' && value.includes('2020-12') ? value : undefined;
    if (keyword === 'type') return typeOf(value) ?? drop(`${JSON.stringify(value)} is no type`);
    if (keyword === 'required' || keyword === 'nullable') return Array.isArray(value) ? texts(value) : undefined;
    if (keyword === '$ref') {
      const finds =
        typeof value === 'string' && (resolveRef(schema, value) === true || followRefs(schema, { $ref: value }));
      return finds ? value : drop(`${JSON.stringify(value)} does not resolve`);
    }
    if (keyword === 'enum') return Array.isArray(value) && value.length > 0 ? value : drop('it is no list of values');
    if (TEXTS.has(keyword)) return typeof value === 'string' ? value : undefined;
    if (COUNTS.has(keyword)) return counted(value) ?? drop(`${JSON.stringify(value)} is no number`);
    if (SCHEMA_MAPS.has(keyword))
      return isObject(value) ? mapOf(keyword, value, path) : drop('it is no map of schemas');
    if (SCHEMA_LISTS.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0) return drop('it is no list of schemas');
      return unchanged(
        value,
        value.map((each, at) => node(each, `${path}/${at}`)),
      );
    }
    if (OPEN_OR_CLOSED.has(keyword) && typeof value === 'boolean') return value;
    if (keyword === 'items' && Array.isArray(value))
      return unchanged(
        value,
        value.map((each) => node(each, path)),
      );
    if (keyword === 'items' && value === false) return value;
    return SCHEMAS.has(keyword) || OPEN_OR_CLOSED.has(keyword) ? node(value, path) : value;
  }

  function mapOf(keyword: string, map: JsonSchema, path: string): JsonSchema {
    const entries = Object.entries(map)
      .filter(([name, value]) => keyword !== 'properties' || !isMisplaced(name, value))
      .map(([name, value]) => [name, node(value, `${path}/${pointerToken(name)}`)] as const);
    const isSame = entries.length === Object.keys(map).length && entries.every(([name, value]) => map[name] === value);
    return isSame ? map : Object.fromEntries(entries);
  }

  return isPlain(schema) ? schema : ofObject(schema, '');
}

/**
 * Whether a schema has nothing but the commonest keywords, each as it should be. Most have, and need no second look.
 */
function isPlain(schema: JsonSchema): boolean {
  for (const keyword in schema) {
    const value = schema[keyword];
    if (keyword === 'type') {
      if (typeof value !== 'string' || !TYPES.has(value) || (value === 'array' && !isObject(schema['items'])))
        return false;
    } else if (keyword === 'properties') {
      if (!isObject(value)) return false;
      for (const name in value) {
        const property = value[name];
        if (!isObject(property) || !isPlain(property)) return false;
      }
    } else if (keyword === 'items') {
      if (!isObject(value) || !isPlain(value)) return false;
    } else if (keyword === 'required') {
      if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return false;
    } else if (keyword === 'enum') {
      if (!Array.isArray(value) || value.length === 0) return false;
    } else if (TEXTS.has(keyword)) {
      if (typeof value !== 'string') return false;
    } else if (COUNTS.has(keyword)) {
      if (typeof value !== 'number') return false;
    } else if (keyword !== 'additionalProperties' || typeof value !== 'boolean') return false;
  }
  return true;
}

/** A keyword of the object that stands among its properties. */
function isMisplaced(name: string, value: unknown): boolean {
  if (name === 'required') return Array.isArray(value);
  return (name === 'type' && value === 'object') || (name === 'additionalProperties' && typeof value === 'boolean');
}

/** Names that are required by a list among the properties, or by `required: true` of a property. */
function liftFromProperties(given: JsonSchema, out: Map<string, unknown>): void {
  const { properties } = given;
  if (!isObject(properties)) return;
  const lifted = Object.entries(properties).flatMap(([name, value]) => {
    if (name === 'required' && Array.isArray(value)) return texts(value);
    return isObject(value) && value['required'] === true ? [name] : [];
  });
  const known = texts(out.get('required'));
  if (lifted.length > 0) out.set('required', [...new Set([...known, ...lifted])]);
}

function draft4(given: JsonSchema, out: Map<string, unknown>): void {
  for (const side of ['minimum', 'maximum']) {
    const exclusive = side === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum';
    const value = out.get(exclusive);
    if (value === true && out.has(side)) {
      out.set(exclusive, out.get(side));
      out.delete(side);
    } else if (value !== undefined && typeof value !== 'number') out.delete(exclusive);
  }
  const type = out.get('type');
  if (given['nullable'] === true && type !== undefined && ![type].flat().includes('null'))
    out.set('type', [...[type].flat(), 'null']);
}

/** An array says what its items are, which OpenAI demands. A tuple that ends is one of a largest length. */
function asArray(out: Map<string, unknown>): void {
  const items = out.get('items');
  if (Array.isArray(items)) {
    out.set('prefixItems', items);
    out.set('items', out.get('additionalItems') ?? {});
    out.delete('additionalItems');
  }
  const rest = out.get('items');
  const isClosed = rest === false || (isObject(rest) && isObject(rest['not']) && Object.keys(rest).length === 1);
  if (isClosed) {
    const prefix = out.get('prefixItems');
    out.set('items', {});
    out.set('maxItems', out.get('maxItems') ?? (Array.isArray(prefix) ? prefix.length : 0));
  } else if (rest === undefined && [out.get('type')].flat().includes('array')) out.set('items', {});
}

function typeOf(value: unknown): unknown {
  if (typeof value === 'string') return typeName(value);
  if (!Array.isArray(value)) return undefined;
  const types = value.flatMap((type) => (typeof type === 'string' ? (typeName(type) ?? []) : []));
  // One type that is none stands for any value.
  return types.length === value.length && types.length > 0 ? unchanged(value, [...new Set(types)]) : undefined;
}

function typeName(text: string): string | undefined {
  const type = text.trim().toLowerCase();
  return TYPES.has(type) ? type : ALIASES.get(type);
}

function counted(value: unknown): unknown {
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return unchanged(value, [...new Set(value.filter((each) => typeof each === 'string'))]);
}

/** The first list, if the second has the same elements: what is sound stays the same object. */
function unchanged<T>(before: readonly T[], after: readonly T[]): readonly T[] {
  return before.length === after.length && before.every((each, at) => each === after[at]) ? before : after;
}
