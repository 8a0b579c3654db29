import type { JsonSchema, JsonValue } from '@kernel/protocol';
import { asFields } from '../json-fields.ts';
import { followRefs, isSchema, requiredOf, schemaList, schemaMap, acceptsNull, typesOf } from './schema-node.ts';

/** A null for an optional property that does not accept null becomes absent. Values that the tool's schema does not describe stay as they are. */
export function restoreAbsent(root: JsonSchema, schema: unknown, value: JsonValue): JsonValue {
  const node = followRefs(root, schema);
  if (node === undefined || typeof value !== 'object' || value === null) return value;
  let restored: JsonValue = value;
  for (const branch of schemaList(node, 'allOf')) restored = restoreAbsent(root, branch, restored);
  for (const keyword of ['anyOf', 'oneOf']) {
    const branch = schemaList(node, keyword).find((each) => mayMatch(root, each, restored));
    if (branch !== undefined) restored = restoreAbsent(root, branch, restored);
  }
  if (isList(restored)) {
    const { items } = node;
    const prefixItems = schemaList(node, 'prefixItems');
    return restored.map((item, at) => restoreAbsent(root, prefixItems[at] ?? items, item));
  }
  const properties = new Map(schemaMap(node, 'properties'));
  if (properties.size === 0 || typeof restored !== 'object' || restored === null) return restored;
  const required = requiredOf(node);
  const kept: [string, JsonValue][] = [];
  for (const [name, inner] of Object.entries<JsonValue>(restored)) {
    const property = properties.get(name);
    const wasAbsent = inner === null && property !== undefined && !required.has(name) && !acceptsNull(root, property);
    if (!wasAbsent) kept.push([name, property === undefined ? inner : restoreAbsent(root, property, inner)]);
  }
  return Object.fromEntries(kept);
}

/** Looks at the top level only: type, constants and required names. */
function mayMatch(root: JsonSchema, branch: unknown, value: JsonValue): boolean {
  const schema = followRefs(root, branch);
  if (schema === undefined) return branch === true;
  const types = typesOf(schema);
  if (types.length > 0 && !types.includes(Array.isArray(value) ? 'array' : 'object')) return false;
  const fields = asFields(value);
  if (fields === undefined) return true;
  for (const name of requiredOf(schema)) if (!Object.hasOwn(fields, name)) return false;
  const properties = new Map(schemaMap(schema, 'properties'));
  if (schema['additionalProperties'] === false && Object.keys(fields).some((name) => !properties.has(name)))
    return false;
  for (const [name, property] of properties) {
    const inner = followRefs(root, property);
    if (!isSchema(inner) || !Object.hasOwn(fields, name)) continue;
    if (Object.hasOwn(inner, 'const') && inner['const'] !== fields[name]) return false;
    if (Array.isArray(inner['enum']) && fields[name] !== null && !inner['enum'].includes(fields[name])) return false;
  }
  return true;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
