import type { JsonSchema } from '@kernel/protocol';

/** Says whether a value is a schema object. @internal */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The subschemas under a keyword that holds a map; none for anything else. @internal */
export function schemaMap(schema: JsonSchema, keyword: string): readonly (readonly [string, unknown])[] {
  const map = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
  return isSchema(map) ? Object.entries(map) : [];
}

/** The subschemas under a keyword that holds a list. @internal */
export function schemaList(schema: JsonSchema, keyword: string): readonly unknown[] {
  const list = schema[keyword];
  return Array.isArray(list) ? list : [];
}

/** The types that a schema names; empty where it names none. @internal */
export function typesOf(schema: JsonSchema): readonly string[] {
  return [schema['type'] ?? []].flat().filter((type) => typeof type === 'string');
}

/** The names that `required` lists. @internal */
export function requiredOf(schema: JsonSchema): ReadonlySet<string> {
  return new Set(schemaList(schema, 'required').filter((name) => typeof name === 'string'));
}

/** A step of a JSON pointer. @internal */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What a local `$ref` points to: a JSON pointer from the root, or an `$anchor`. Nothing for what is not there. @internal */
export function resolveRef(root: JsonSchema, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#')) return undefined;
  if (!ref.startsWith('#/')) return findAnchor(root, ref.slice(1));
  let at: unknown = root;
  for (const step of decode(ref.slice(2)).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isSchema(at) && Object.hasOwn(at, key)) at = at[key];
    else return undefined;
  }
  return at;
}

/** Follows `$ref` until a schema without one; nothing for a loop and for what is not there. @internal */
export function followRefs(root: JsonSchema, schema: unknown): JsonSchema | undefined {
  let at = schema;
  for (let hops = 0; hops < 32; hops += 1) {
    if (!isSchema(at)) return undefined;
    const ref = at['$ref'];
    if (typeof ref !== 'string') return at;
    at = resolveRef(root, ref);
  }
  return undefined;
}

/** Says whether a schema takes null. @internal */
export function takesNull(root: JsonSchema, given: unknown): boolean {
  if (given === true) return true;
  const schema = followRefs(root, given);
  if (schema === undefined) return false;
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes('null')) return false;
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null)) return false;
  if (Object.hasOwn(schema, 'const') && schema['const'] !== null) return false;
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = schemaList(schema, keyword);
    if (branches.length > 0 && !branches.some((branch) => takesNull(root, branch))) return false;
  }
  return schemaList(schema, 'allOf').every((branch) => takesNull(root, branch));
}

function findAnchor(schema: JsonSchema, name: string): unknown {
  for (const keyword of ['$defs', 'definitions']) {
    for (const [, inner] of schemaMap(schema, keyword)) if (isSchema(inner) && inner['$anchor'] === name) return inner;
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
