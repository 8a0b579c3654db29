import { equalJson } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { Budget } from './budget.ts';
import { followRefs, isSchema, requiredOf, schemaList, schemaMap } from './schema-node.ts';

export type OnConflict = (keyword: string, message: string) => void;

/** The properties and required names of all branches, the first value of every other keyword. */
export function mergeAllOf(root: JsonSchema, schema: JsonSchema, onConflict: OnConflict, budget: Budget): JsonSchema {
  const { allOf, ...own } = schema;
  let merged: JsonSchema = own;
  for (const branch of Array.isArray(allOf) ? allOf : []) {
    budget.spend();
    const resolved = followRefs(root, branch);
    if (resolved === undefined) {
      if (branch !== true) onConflict('allOf', 'a branch that cannot be merged is left out');
      continue;
    }
    merged = merge(
      merged,
      Object.hasOwn(resolved, 'allOf') ? budget.nest(() => mergeAllOf(root, resolved, onConflict, budget)) : resolved,
      onConflict,
      budget,
    );
  }
  return merged;
}

function merge(left: JsonSchema, right: JsonSchema, onConflict: OnConflict, budget: Budget): JsonSchema {
  const merged = new Map<string, unknown>(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    budget.spend();
    const existing = merged.get(keyword);
    if (existing === undefined || equalJson(existing, value)) merged.set(keyword, value);
    else if (keyword === 'properties') {
      const properties = new Map(schemaMap(left, 'properties'));
      for (const [name, inner] of schemaMap(right, 'properties')) {
        budget.spend();
        const known = properties.get(name);
        properties.set(name, known === undefined || equalJson(known, inner) ? inner : { allOf: [known, inner] });
      }
      merged.set('properties', Object.fromEntries(properties));
    } else if (keyword === 'required')
      merged.set('required', [...new Set([...requiredOf(left), ...requiredOf(right)])]);
    else if (keyword === '$defs' || keyword === 'definitions') {
      merged.set(keyword, {
        ...Object.fromEntries(schemaMap(right, keyword)),
        ...Object.fromEntries(schemaMap(left, keyword)),
      });
    } else if (keyword !== 'description' && keyword !== 'title')
      onConflict(keyword, 'branches of allOf differ in it: the first one is used');
  }
  return Object.fromEntries(merged);
}

/** The properties of all branches, required if every branch requires them. */
export function mergeRootUnion(
  root: JsonSchema,
  keyword: 'anyOf' | 'oneOf',
  onConflict: OnConflict,
  budget: Budget,
): JsonSchema {
  const { [keyword]: _, ...own } = root;
  const branches = schemaList(root, keyword).flatMap((branch) => {
    const resolved = followRefs(root, branch);
    if (resolved === undefined) return [];
    return [
      Object.hasOwn(resolved, 'allOf') ? budget.nest(() => mergeAllOf(root, resolved, onConflict, budget)) : resolved,
    ];
  });
  const properties = new Map(schemaMap(own, 'properties'));
  for (const branch of branches) {
    for (const [name, inner] of schemaMap(branch, 'properties')) {
      budget.spend();
      const known = properties.get(name);
      if (known === undefined || equalJson(known, inner)) properties.set(name, inner);
      else properties.set(name, { anyOf: [...(isUnion(known) ? known.anyOf : [known]), inner] });
    }
  }
  const required = new Set(requiredOf(own));
  const [first, ...others] = branches.map(requiredOf);
  for (const name of first ?? []) if (others.every((set) => set.has(name))) required.add(name);
  onConflict(keyword, 'a union at the root becomes one object, and only what every branch requires is required');
  return {
    ...own,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.size === 0 ? {} : { required: [...required] }),
  };
}

/** Each branch has another type, or another constant in one property. */
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
