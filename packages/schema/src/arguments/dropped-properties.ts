import { isObject, pointerToken } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { compileSchema, type Validator } from '../validator/compile-schema.ts';
import { createPatternTest } from '../validator/pattern.ts';
import {
  indexSchema,
  isSchema,
  isSchemaObject,
  type Schema,
  type SchemaIndex,
  schemaMembers,
} from '../validator/schema-index.ts';
import type { UnknownProperty } from './unknown-properties.ts';

export type DroppedPropertyFinder = (value: unknown, output: unknown) => readonly UnknownProperty[];

const ROOT = 'urn:kernel:arguments';

// Finds properties that are unknown only in their place: in the form of a union that the value has, in an item of a tuple, in a member of a record. Like
// the libraries, it takes the first form that accepts the value. Undefined for a schema without such places.
export function createDroppedPropertyFinder(schema: JsonSchema): DroppedPropertyFinder | undefined {
  if (!hasPlaces(schema)) return undefined;
  const index = indexSchema(schema);
  const pointers = pointersOf(schema);
  const validators = new Map<Schema, Validator>();
  const accepts = (branch: Schema, value: unknown): boolean => {
    if (typeof branch === 'boolean') return branch;
    let validator = validators.get(branch);
    if (validator === undefined) {
      const documents = new Map([[ROOT, schema]]);
      validator = compileSchema({ $ref: `${ROOT}#${pointers.get(branch) ?? ''}` }, { documents });
      validators.set(branch, validator);
    }
    return validator.test(value);
  };

  const find = (
    schemas: readonly Schema[],
    value: unknown,
    output: unknown,
    path: string,
    found: UnknownProperty[],
  ): void => {
    if (typeof value !== 'object' || value === null) return;
    const applied = schemas.flatMap((each) => schemasFor(each, value, index, accepts));
    if (Array.isArray(value)) {
      const outputs: readonly unknown[] = Array.isArray(output) ? output : [];
      for (const [at, item] of value.entries())
        find(itemSchemas(applied, at), item, outputs[at], `${path}/${at}`, found);
      return;
    }
    const shape = shapeOf(applied);
    for (const [name, member] of Object.entries(value)) {
      const inner = shape.schemasOf(name);
      const isKept = isObject(output) && Object.hasOwn(output, name);
      if (inner.length === 0 && shape.isClosed && !isKept)
        found.push({ path, name, knownProperties: shape.knownProperties });
      else find(inner, member, isKept ? output[name] : undefined, `${path}/${pointerToken(name)}`, found);
    }
  };
  return (value, output) => {
    const found: UnknownProperty[] = [];
    find([schema], value, output, '', found);
    return found;
  };
}

/** Returns every schema that applies to the value; of each union, the first branch that accepts it. */
function schemasFor(
  schema: Schema,
  value: unknown,
  index: SchemaIndex,
  accepts: (branch: Schema, value: unknown) => boolean,
  visited: Set<Schema> = new Set(),
): readonly JsonSchema[] {
  if (!isSchemaObject(schema) || visited.has(schema)) return [];
  visited.add(schema);
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? index.resolve(reference, index.resourceOf(schema)) : undefined;
  const inPlace: readonly Schema[] = [
    ...(target === undefined ? [] : [target.schema]),
    ...listOf(schema['allOf']),
    ...['anyOf', 'oneOf'].flatMap((union) =>
      listOf(schema[union])
        .filter((branch) => accepts(branch, value))
        .slice(0, 1),
    ),
    ...listOf([schema['then'], schema['else']]),
  ];
  return [schema, ...inPlace.flatMap((each) => schemasFor(each, value, index, accepts, visited))];
}

function itemSchemas(schemas: readonly JsonSchema[], at: number): readonly Schema[] {
  return schemas.flatMap((schema) => {
    const { items } = schema;
    const tuple = listOf(schema['prefixItems'] ?? items);
    const rest = Array.isArray(items) ? schema['additionalItems'] : items;
    return at < tuple.length ? tuple.slice(at, at + 1) : listOf([rest]);
  });
}

function shapeOf(schemas: readonly JsonSchema[]): {
  readonly knownProperties: readonly string[];
  readonly isClosed: boolean;
  schemasOf(name: string): readonly Schema[];
} {
  const declared = new Map<string, Schema[]>();
  for (const [name, child] of schemas.flatMap(({ properties }) => schemaMembers(properties)))
    declared.set(name, [...(declared.get(name) ?? []), child]);
  const patterns = schemas
    .flatMap(({ patternProperties }) => schemaMembers(patternProperties))
    .map(([source, child]) => ({ matches: createPatternTest(source), child }));
  const others = schemas.flatMap(({ additionalProperties: each }) => (isSchema(each) ? [each] : []));
  const isOpen = schemas.some((each) => 'additionalProperties' in each || 'unevaluatedProperties' in each);
  return {
    knownProperties: [...declared.keys()],
    isClosed: !isOpen && schemas.some((each) => 'properties' in each),
    schemasOf(name) {
      const matching = patterns.filter(({ matches }) => matches(name)).map(({ child }) => child);
      const known = [...(declared.get(name) ?? []), ...matching];
      return known.length > 0 ? known : others;
    },
  };
}

function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter((each) => isSchema(each)) : [];
}

function hasPlaces(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasPlaces(each));
  if (!isObject(schema)) return false;
  const { anyOf, oneOf, prefixItems, items, additionalProperties, patternProperties } = schema;
  if (Array.isArray(anyOf) || Array.isArray(oneOf) || Array.isArray(prefixItems) || Array.isArray(items)) return true;
  if (isObject(additionalProperties) || isObject(patternProperties)) return true;
  return Object.values(schema).some((each) => hasPlaces(each));
}

/** The pointers are URI fragments. */
function pointersOf(schema: JsonSchema): ReadonlyMap<unknown, string> {
  const pointers = new Map<unknown, string>();
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value !== 'object' || value === null || pointers.has(value)) return;
    pointers.set(value, pointer);
    for (const [key, child] of Object.entries(value))
      visit(child, `${pointer}/${encodeURIComponent(pointerToken(key))}`);
  };
  visit(schema, '');
  return pointers;
}
