import type { JsonSchema } from '@kernel/protocol';
import { escapeToken, isObject } from '../schema/check.ts';
import { toTextTest } from '../schema/pattern.ts';
import { type Schema, type SchemaIndex, indexSchema, isSchema, isSchemaObject } from '../schema/schema-index.ts';

/** A property that the schema says nothing about. */
export interface Stray {
  /** JSON pointer to the object that has it. */
  readonly path: string;
  readonly name: string;
  /** The names that the schema has there. */
  readonly known: readonly string[];
}

/** Takes what a schema is silent about out of a value. The value itself is not changed; returned as it is when nothing is strange. */
export type StrayFinder = (value: unknown, found: Stray[]) => unknown;

/**
 * Builds the search for properties that a schema is silent about: it names properties, and neither `additionalProperties` nor
 * `unevaluatedProperties` says what happens to others. An object without `properties` is free-form and keeps everything.
 */
export function createStrayFinder(schema: JsonSchema): StrayFinder {
  const index = indexSchema(schema);
  // One node for each set of schemas: there are finitely many, so that recursion ends.
  const nodes = new Map<string, Node>();
  const numbers = new Map<Schema, number>();
  const nodeOf = (schemas: readonly Schema[]): Node => {
    const numbered = [...new Set(schemas)].map((one) => {
      const number = numbers.get(one) ?? numbers.size;
      numbers.set(one, number);
      return number;
    });
    const key = numbered.toSorted((a, b) => a - b).join();
    const node = nodes.get(key) ?? createNode(gather(schemas, index), nodeOf);
    nodes.set(key, node);
    return node;
  };
  const root = nodeOf([schema]);
  if (!root.canBeStrange(new Set())) return (value) => value;
  return (value, found) => (root.isStrange(value) ? root.clean(value, '', found) : value);
}

interface Node {
  /** Whether any value could have something to clean; `asked` keeps recursion finite. */
  canBeStrange(asked: Set<Node>): boolean;
  /** The quick look: whether there is anything to clean. */
  isStrange(value: unknown): boolean;
  clean(value: unknown, path: string, found: Stray[]): unknown;
}

interface Shape {
  readonly names: Map<string, Schema[]>;
  readonly patterns: ((name: string) => boolean)[];
  readonly items: Schema[];
  speaks: boolean;
}

function createNode(shape: Shape, nodeOf: (schemas: readonly Schema[]) => Node): Node {
  const { names, patterns, items } = shape;
  const closed = !shape.speaks;
  const known = [...names.keys()];
  const children = new Map<string, Node | undefined>();
  const childOf = (key: string): Node | undefined => {
    if (children.has(key)) return children.get(key);
    const schemas = names.get(key)?.filter((schema) => isSchemaObject(schema) && isDeep(schema));
    const child = schemas === undefined || schemas.length === 0 ? undefined : nodeOf(schemas);
    children.set(key, child);
    return child;
  };
  let itemNode: Node | undefined;
  const itemOf = (): Node | undefined => (items.length === 0 ? undefined : (itemNode ??= nodeOf(items)));

  const cleanObject = (value: { readonly [name: string]: unknown }, path: string, found: Stray[]): unknown => {
    let changed: Map<string, unknown> | undefined;
    for (const key of Object.keys(value)) {
      if (closed && !names.has(key) && !patterns.some((matches) => matches(key))) {
        found.push({ path, name: key, known });
        changed ??= new Map(Object.entries(value));
        changed.delete(key);
        continue;
      }
      const item = value[key];
      if (typeof item !== 'object' || item === null) continue;
      const cleaned = childOf(key)?.clean(item, `${path}/${escapeToken(key)}`, found) ?? item;
      if (cleaned === item) continue;
      changed ??= new Map(Object.entries(value));
      changed.set(key, cleaned);
    }
    return changed === undefined ? value : Object.fromEntries(changed);
  };

  const isStrangeObject = (value: { readonly [name: string]: unknown }): boolean => {
    for (const key in value) {
      if (closed && !names.has(key) && !patterns.some((matches) => matches(key))) return true;
      const item = value[key];
      if (typeof item === 'object' && item !== null && childOf(key)?.isStrange(item) === true) return true;
    }
    return false;
  };

  const node: Node = {
    canBeStrange(asked) {
      if (closed) return true;
      if (asked.has(node)) return false;
      asked.add(node);
      return [...known.map((name) => childOf(name)), itemOf()].some((child) => child?.canBeStrange(asked) === true);
    },
    isStrange(value) {
      if (!Array.isArray(value)) return isObject(value) && isStrangeObject(value);
      const inner = itemOf();
      return inner !== undefined && value.some((item) => inner.isStrange(item));
    },
    clean(value, path, found) {
      if (isObject(value)) return cleanObject(value, path, found);
      const inner = Array.isArray(value) ? itemOf() : undefined;
      if (inner === undefined || !Array.isArray(value)) return value;
      const cleaned = value.map((item: unknown, place) => inner.clean(item, `${path}/${place}`, found));
      return cleaned.some((item, place) => item !== value[place]) ? cleaned : value;
    },
  };
  return node;
}

/** Collects what several schemas that apply to one value say of its properties and items. */
function gather(schemas: readonly Schema[], index: SchemaIndex): Shape {
  const shape: Shape = { names: new Map(), patterns: [], items: [], speaks: false };
  const seen = new Set<Schema>();
  const visit = (schema: Schema): void => {
    if (!isSchemaObject(schema) || seen.has(schema)) return;
    seen.add(schema);
    for (const [name, child] of entriesOf(schema['properties']))
      shape.names.set(name, [...(shape.names.get(name) ?? []), child]);
    for (const [source] of entriesOf(schema['patternProperties'])) shape.patterns.push(toTextTest(source));
    if ('additionalProperties' in schema || 'unevaluatedProperties' in schema) shape.speaks = true;
    for (const keyword of ['items', 'prefixItems', 'additionalItems']) {
      const child = schema[keyword];
      if (isSchema(child)) shape.items.push(child);
      else if (Array.isArray(child)) shape.speaks = true;
    }
    for (const child of sameValue(schema, index)) visit(child);
  };
  for (const schema of schemas) visit(schema);
  if (shape.names.size === 0 && !schemas.some((schema) => isSchemaObject(schema) && 'properties' in schema))
    shape.speaks = true;
  return shape;
}

function* sameValue(schema: JsonSchema, index: SchemaIndex): Generator<Schema> {
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
  for (const [, child] of entriesOf(schema['dependentSchemas'])) yield child;
}

/** Whether a schema can hold objects or arrays; for plain values there is nothing to search. */
function isDeep(schema: JsonSchema): boolean {
  const { type } = schema;
  return typeof type !== 'string' || type === 'object' || type === 'array';
}

function entriesOf(value: unknown): readonly (readonly [string, Schema])[] {
  if (!isSchemaObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => (isSchema(child) ? [[name, child] as const] : []));
}
