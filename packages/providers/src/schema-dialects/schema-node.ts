import { isObject, parsePointer } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { Budget } from './budget.ts';

/** The keywords whose values are maps of names to schemas. */
export const SCHEMA_MAPS: ReadonlySet<string> = new Set(
  'properties patternProperties $defs definitions dependentSchemas'.split(' '),
);
/** The keywords whose values are lists of schemas. */
export const SCHEMA_LISTS: ReadonlySet<string> = new Set('anyOf oneOf allOf prefixItems'.split(' '));
/** The keywords whose values are schemas; a list of them in `items` of earlier drafts. */
export const SCHEMAS: ReadonlySet<string> = new Set(
  'items additionalItems contains propertyNames not if then else'.split(' '),
);
/** The keywords whose values are schemas or, mostly, booleans. */
export const OPEN_OR_CLOSED: ReadonlySet<string> = new Set(
  'additionalProperties unevaluatedProperties unevaluatedItems'.split(' '),
);

/** Whether a value is a schema object (not a boolean schema). @internal */
export function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

export function schemaMap(schema: JsonSchema, keyword: string): readonly (readonly [string, unknown])[] {
  const map = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
  return isSchema(map) ? Object.entries(map) : [];
}

export function schemaList(schema: JsonSchema, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

export function typesOf(schema: JsonSchema): readonly string[] {
  return [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
}

export function requiredOf(schema: JsonSchema): ReadonlySet<string> {
  return new Set(schemaList(schema, 'required').filter((name) => typeof name === 'string'));
}

/** A JSON pointer from the root, or an `$anchor`. */
export function resolveRef(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#')) return undefined;
  if (!ref.startsWith('#/')) return findAnchor(root, ref.slice(1));
  let at: unknown = root;
  for (const key of parsePointer(decode(ref.slice(1)))) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isSchema(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

const MAX_REF_DEPTH = 32;

/** Returns undefined for a loop and for a reference that does not resolve. */
export function followRefs(root: JsonSchema, schema: unknown): JsonSchema | undefined {
  let at = schema;
  for (let depth = 0; depth < MAX_REF_DEPTH; depth += 1) {
    if (!isSchema(at)) return undefined;
    const ref = at['$ref'];
    if (typeof ref !== 'string') return at;
    at = resolveRef(root, ref);
  }
  return undefined;
}

export function acceptsNull(root: JsonSchema, node: unknown, budget?: Budget): boolean {
  budget?.spend();
  if (budget !== undefined) return budget.nest(() => acceptsNullIn(root, node, budget));
  return acceptsNullIn(root, node, budget);
}

function acceptsNullIn(root: JsonSchema, node: unknown, budget: Budget | undefined): boolean {
  if (node === true) return true;
  const schema = followRefs(root, node);
  if (schema === undefined) return false;
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('null')) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
  if (Object.hasOwn(schema, 'const') && schema['const'] !== null) return false;
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schemaList(schema, keyword);
    if (branches.length > 0 && !branches.some((branch) => acceptsNull(root, branch, budget))) return false;
  }
  return schemaList(schema, 'allOf').every((branch) => acceptsNull(root, branch, budget));
}

function findAnchor(schema: JsonSchema, name: string): unknown {
  for (const keyword of ['$defs', 'definitions']) {
    for (const [, inner] of schemaMap(schema, keyword)) if (isSchema(inner) && inner['$anchor'] === name) return inner;
  }
  return undefined;
}

/** Decodes percent signs, if they are any. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
