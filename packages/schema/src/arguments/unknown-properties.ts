import { isObject, pointerToken } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { createPatternTest } from '../validator/pattern.ts';
import {
  indexSchema,
  isSchema,
  isSchemaObject,
  type Schema,
  type SchemaIndex,
  schemaMembers,
} from '../validator/schema-index.ts';

export interface UnknownProperty {
  /** JSON pointer to the object that has it. */
  readonly path: string;
  readonly name: string;
  readonly knownProperties: readonly string[];
}

/** Returns a copy without unknown properties, the value itself if there are none. */
export type UnknownPropertyFilter = (value: unknown, found: UnknownProperty[]) => unknown;

/** Unknown: the schema declares properties, and neither `additionalProperties` nor `unevaluatedProperties` says what happens to others. */
export function createUnknownPropertyFilter(schema: JsonSchema): UnknownPropertyFilter {
  const index = indexSchema(schema);
  // One node for each set of schemas. There are finitely many sets, so recursion ends.
  const nodes = new Map<string, Node>();
  const ids = new Map<Schema, number>();
  const nodeOf = (schemas: readonly Schema[]): Node => {
    const setIds = [...new Set(schemas)].map((each) => {
      const id = ids.get(each) ?? ids.size;
      ids.set(each, id);
      return id;
    });
    const key = setIds.toSorted((a, b) => a - b).join();
    const node = nodes.get(key) ?? createNode(shapeOf(schemas, index), nodeOf);
    nodes.set(key, node);
    return node;
  };
  const root = nodeOf([schema]);
  if (!root.mayHaveUnknown(new Set())) return (value) => value;
  return (value, found) => (root.hasUnknown(value) ? root.strip(value, '', found) : value);
}

interface Node {
  /** `visited` stops the recursion. */
  mayHaveUnknown(visited: Set<Node>): boolean;
  /** Allocates nothing. */
  hasUnknown(value: unknown): boolean;
  strip(value: unknown, path: string, found: UnknownProperty[]): unknown;
}

interface Shape {
  readonly properties: Map<string, Schema[]>;
  readonly patterns: ((name: string) => boolean)[];
  readonly items: Schema[];
  /** Whether some keyword says what happens to other properties. */
  allowsUnknown: boolean;
}

function createNode(shape: Shape, nodeOf: (schemas: readonly Schema[]) => Node): Node {
  const { properties, patterns, items } = shape;
  const closed = !shape.allowsUnknown;
  const knownProperties = [...properties.keys()];
  const isUnknown = (key: string): boolean =>
    closed && !properties.has(key) && !patterns.some((matches) => matches(key));
  const children = new Map<string, Node | undefined>();
  const childOf = (key: string): Node | undefined => {
    if (children.has(key)) return children.get(key);
    const schemas = properties.get(key)?.filter((schema) => isSchemaObject(schema) && mayHaveMembers(schema));
    const child = schemas === undefined || schemas.length === 0 ? undefined : nodeOf(schemas);
    children.set(key, child);
    return child;
  };
  let itemNode: Node | undefined;
  const itemOf = (): Node | undefined => (items.length === 0 ? undefined : (itemNode ??= nodeOf(items)));

  const stripObject = (
    object: { readonly [name: string]: unknown },
    path: string,
    found: UnknownProperty[],
  ): unknown => {
    let changed: Map<string, unknown> | undefined;
    for (const key of Object.keys(object)) {
      if (isUnknown(key)) {
        found.push({ path, name: key, knownProperties });
        changed ??= new Map(Object.entries(object));
        changed.delete(key);
        continue;
      }
      const member = object[key];
      if (typeof member !== 'object' || member === null) continue;
      const stripped = childOf(key)?.strip(member, `${path}/${pointerToken(key)}`, found) ?? member;
      if (stripped === member) continue;
      changed ??= new Map(Object.entries(object));
      changed.set(key, stripped);
    }
    return changed === undefined ? object : Object.fromEntries(changed);
  };

  const objectHasUnknown = (object: { readonly [name: string]: unknown }): boolean => {
    for (const key in object) {
      if (isUnknown(key)) return true;
      const member = object[key];
      if (typeof member === 'object' && member !== null && childOf(key)?.hasUnknown(member) === true) return true;
    }
    return false;
  };

  const node: Node = {
    mayHaveUnknown(visited) {
      if (closed) return true;
      if (visited.has(node)) return false;
      visited.add(node);
      const inner = [...knownProperties.map((name) => childOf(name)), itemOf()];
      return inner.some((child) => child?.mayHaveUnknown(visited) === true);
    },
    hasUnknown(value) {
      if (!Array.isArray(value)) return isObject(value) && objectHasUnknown(value);
      const inner = itemOf();
      return inner !== undefined && value.some((item) => inner.hasUnknown(item));
    },
    strip(value, path, found) {
      if (isObject(value)) return stripObject(value, path, found);
      const inner = Array.isArray(value) ? itemOf() : undefined;
      if (inner === undefined || !Array.isArray(value)) return value;
      const stripped = value.map((item: unknown, index) => inner.strip(item, `${path}/${index}`, found));
      return stripped.some((item, index) => item !== value[index]) ? stripped : value;
    },
  };
  return node;
}

function shapeOf(schemas: readonly Schema[], index: SchemaIndex): Shape {
  const shape: Shape = { properties: new Map(), patterns: [], items: [], allowsUnknown: false };
  const visited = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (!isSchemaObject(schema) || visited.has(schema)) return;
    visited.add(schema);
    for (const [name, child] of schemaMembers(schema['properties']))
      shape.properties.set(name, [...(shape.properties.get(name) ?? []), child]);
    for (const [source] of schemaMembers(schema['patternProperties'])) shape.patterns.push(createPatternTest(source));
    if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) shape.allowsUnknown = true;
    for (const keyword of ['items', 'prefixItems', 'additionalItems']) {
      const child = schema[keyword];
      if (isSchema(child)) shape.items.push(child);
      else if (Array.isArray(child)) shape.allowsUnknown = true;
    }
    for (const child of inPlaceSchemas(schema, index)) visit(child);
  };
  for (const schema of schemas) visit(schema);
  const declaresProperties = schemas.some((schema) => isSchemaObject(schema) && 'properties' in schema);
  if (shape.properties.size === 0 && !declaresProperties) shape.allowsUnknown = true;
  return shape;
}

/** The subschemas that apply to the same value as the schema itself ("in-place applicators"). */
function* inPlaceSchemas(schema: JsonSchema, index: SchemaIndex): Generator<Schema> {
  const reference = schema['$ref'];
  const target = typeof reference === 'string' ? index.resolve(reference, index.resourceOf(schema)) : undefined;
  if (target !== undefined) yield target.schema;
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const list = schema[keyword];
    for (const child of Array.isArray(list) ? list : []) if (isSchema(child)) yield child;
  }
  for (const keyword of ['if', 'then', 'else']) {
    const child = schema[keyword];
    if (isSchema(child)) yield child;
  }
  for (const [, child] of schemaMembers(schema['dependentSchemas'])) yield child;
}

/** Other values have no properties to search. */
function mayHaveMembers(schema: JsonSchema): boolean {
  const { type } = schema;
  return typeof type !== 'string' || type === 'object' || type === 'array';
}
