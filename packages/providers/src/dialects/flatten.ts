import type { JsonSchema } from '@kernel/protocol';
import { followRefs, isSchema, requiredOf, schemaList, schemaMap } from './schema-node.ts';

/** Hears what could not be joined. @internal */
export type OnConflict = (keyword: string, message: string) => void;

/** Joins the branches of `allOf` into one schema: properties and required names of all, the first value of everything else. @internal */
export function joinAllOf(root: JsonSchema, schema: JsonSchema, onConflict: OnConflict): JsonSchema {
  const { allOf, ...own } = schema;
  let joined: JsonSchema = own;
  for (const branch of Array.isArray(allOf) ? allOf : []) {
    const resolved = followRefs(root, branch);
    if (resolved === undefined) {
      if (branch !== true) onConflict('allOf', 'a branch that cannot be joined is left out');
      continue;
    }
    joined = join(
      joined,
      Object.hasOwn(resolved, 'allOf') ? joinAllOf(root, resolved, onConflict) : resolved,
      onConflict,
    );
  }
  return joined;
}

function join(left: JsonSchema, right: JsonSchema, onConflict: OnConflict): JsonSchema {
  const joined = new Map<string, unknown>(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    const there = joined.get(keyword);
    if (there === undefined || same(there, value)) joined.set(keyword, value);
    else if (keyword === 'properties') {
      const properties = new Map(schemaMap(left, 'properties'));
      for (const [name, inner] of schemaMap(right, 'properties')) {
        const known = properties.get(name);
        properties.set(name, known === undefined || same(known, inner) ? inner : { allOf: [known, inner] });
      }
      joined.set('properties', Object.fromEntries(properties));
    } else if (keyword === 'required')
      joined.set('required', [...new Set([...requiredOf(left), ...requiredOf(right)])]);
    else if (keyword === '$defs' || keyword === 'definitions') {
      joined.set(keyword, {
        ...Object.fromEntries(schemaMap(right, keyword)),
        ...Object.fromEntries(schemaMap(left, keyword)),
      });
    } else if (keyword !== 'description' && keyword !== 'title')
      onConflict(keyword, 'branches of allOf differ in it, the first one stands');
  }
  return Object.fromEntries(joined);
}

/** Makes one object schema of a root that is a union: the properties of all branches, required where every branch requires them. @internal */
export function joinRootUnion(root: JsonSchema, keyword: 'anyOf' | 'oneOf', onConflict: OnConflict): JsonSchema {
  const { [keyword]: _, ...own } = root;
  const branches = schemaList(root, keyword).flatMap((branch) => {
    const resolved = followRefs(root, branch);
    if (resolved === undefined) return [];
    return [Object.hasOwn(resolved, 'allOf') ? joinAllOf(root, resolved, onConflict) : resolved];
  });
  const properties = new Map(schemaMap(own, 'properties'));
  for (const branch of branches) {
    for (const [name, inner] of schemaMap(branch, 'properties')) {
      const known = properties.get(name);
      if (known === undefined || same(known, inner)) properties.set(name, inner);
      else properties.set(name, { anyOf: [...(isUnion(known) ? known.anyOf : [known]), inner] });
    }
  }
  const required = new Set(requiredOf(own));
  const [first, ...others] = branches.map(requiredOf);
  for (const name of first ?? []) if (others.every((set) => set.has(name))) required.add(name);
  onConflict(keyword, 'a union at the root is one object here, and only what every branch requires is required');
  return {
    ...own,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

/** Says whether at most one branch of a union can fit a value: other types each, or another constant in one property. @internal */
export function isDisjoint(root: JsonSchema, branches: readonly unknown[]): boolean {
  const schemas = branches.map((branch) => followRefs(root, branch));
  const types = schemas.map((schema) => schema?.['type']);
  if (types.every((type) => typeof type === 'string') && new Set(types).size === types.length) {
    return !(types.includes('number') && types.includes('integer'));
  }
  const constants = schemas.map((schema) => new Map(schema === undefined ? [] : tagsOf(schema)));
  const [first, ...others] = constants;
  for (const [name, value] of first ?? []) {
    const values = [value, ...others.map((each) => each.get(name))];
    if (values.every((each) => each !== undefined) && new Set(values).size === values.length) return true;
  }
  return false;
}

function tagsOf(schema: JsonSchema): readonly (readonly [string, unknown])[] {
  const required = requiredOf(schema);
  return schemaMap(schema, 'properties').flatMap(([name, inner]) => {
    if (!isSchema(inner) || !required.has(name)) return [];
    const values = Object.hasOwn(inner, 'const') ? [inner['const']] : schemaList(inner, 'enum');
    return values.length === 1 ? [[name, values[0]] as const] : [];
  });
}

function isUnion(value: unknown): value is { readonly anyOf: readonly unknown[] } {
  return isSchema(value) && Array.isArray(value['anyOf']) && Object.keys(value).length === 1;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
