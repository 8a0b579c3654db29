import { isObject, parsePointer } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';

/** A JSON Schema: an object of keywords, or a boolean. */
export type Schema = JsonSchema | boolean;

/** The rules that a schema follows. */
export interface Dialect {
  /** The draft of the specification. */
  readonly draft: 'draft-07' | '2020-12';
  /** False for a 2020-12 dialect whose vocabularies have no assertions. */
  readonly validation: boolean;
}

/** A schema resource: the root of a document, or a subschema with `$id`. */
export interface SchemaResource {
  /** Its absolute URI, without fragment. */
  readonly uri: string;
  /** Its root schema. */
  readonly root: Schema;
  /** The dialect of its root. */
  readonly dialect: Dialect;
  /** Subschemas by `$anchor` and `$dynamicAnchor`. */
  readonly anchors: Map<string, Schema>;
  /** Subschemas by `$dynamicAnchor`. */
  readonly dynamicAnchors: Map<string, Schema>;
}

/** What a reference resolves to. */
export interface ReferenceTarget {
  /** The schema at the target. */
  readonly schema: Schema;
  /** The resource that the schema belongs to. */
  readonly resource: SchemaResource;
  /** The fragment, if it names a `$dynamicAnchor`. */
  readonly dynamicName?: string;
}

/** All resources that a schema can refer to without network access. */
export interface SchemaIndex {
  /** The resource of the indexed schema itself. */
  readonly root: SchemaResource;
  /** The resource that a schema object belongs to. */
  resourceOf(schema: JsonSchema): SchemaResource;
  /** Resolves a reference; `undefined` if there is nothing at its target. Never fetches. */
  resolve(reference: string, from: SchemaResource): ReferenceTarget | undefined;
}

const ROOT_URI = 'kernel:///schema';
const SINGLE = new Set(
  'additionalProperties propertyNames items additionalItems contains not if then else unevaluatedItems unevaluatedProperties contentSchema'.split(
    ' ',
  ),
);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependencies']);

/** Whether a value is a JSON Schema: an object or a boolean. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isSchemaObject(value);
}

/** Whether a value is an object of keywords. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return isObject(value);
}

/** The schemas under a keyword whose value is a map. */
export function schemaMembers(value: unknown): readonly (readonly [string, Schema])[] {
  if (!isSchemaObject(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => (isSchema(child) ? [[name, child] as const] : []));
}

/** Yields each subschema with the JSON pointer tokens that lead to it. */
export function* subschemas(
  schema: JsonSchema,
): Generator<{ readonly schema: Schema; readonly tokens: readonly string[] }> {
  for (const [keyword, value] of Object.entries(schema)) {
    if (SINGLE.has(keyword) && isSchema(value)) yield { schema: value, tokens: [keyword] };
    if (LISTS.has(keyword) && Array.isArray(value)) {
      for (const [index, item] of value.entries())
        if (isSchema(item)) yield { schema: item, tokens: [keyword, `${index}`] };
    }
    if (MAPS.has(keyword) && isSchemaObject(value)) {
      for (const [key, item] of Object.entries(value))
        if (isSchema(item)) yield { schema: item, tokens: [keyword, key] };
    }
  }
}

/** Indexes a schema, and the documents that it can refer to, by URI. Neither changes nor checks them. */
export function indexSchema(
  schema: Schema,
  options: {
    /** The draft of a schema without `$schema`. Default 2020-12. */
    readonly draft?: Dialect['draft'];
    /** Documents that the schema can refer to, by URI without fragment. */
    readonly documents?: ReadonlyMap<string, Schema>;
  } = {},
): SchemaIndex {
  const documents = options.documents ?? new Map<string, Schema>();
  const fallback: Dialect = { draft: options.draft ?? '2020-12', validation: true };
  const resources = new Map<string, SchemaResource>();
  const owners = new Map<JsonSchema, SchemaResource>();

  const dialectOf = (value: JsonSchema, inherited: Dialect): Dialect => {
    const uri = value['$schema'];
    if (typeof uri !== 'string') return inherited;
    if (/draft-0[3467]/.test(uri)) return { draft: 'draft-07', validation: true };
    const meta = documents.get(withoutFragment(uri));
    const vocabulary = isSchemaObject(meta) ? meta['$vocabulary'] : undefined;
    if (!isSchemaObject(vocabulary)) return { draft: '2020-12', validation: true };
    return { draft: '2020-12', validation: Object.keys(vocabulary).some((name) => name.endsWith('/vocab/validation')) };
  };

  const enter = (value: JsonSchema, uri: string, dialect: Dialect): SchemaResource => {
    const resource: SchemaResource = { uri, root: value, dialect, anchors: new Map(), dynamicAnchors: new Map() };
    if (!resources.has(uri)) resources.set(uri, resource);
    return resource;
  };

  const walk = (value: Schema, parent: SchemaResource): void => {
    if (!isSchemaObject(value) || owners.has(value)) return;
    const dialect = dialectOf(value, parent.dialect);
    const resource = ownResource(value, parent, dialect);
    owners.set(value, resource);
    const anchor = value['$anchor'];
    if (typeof anchor === 'string') resource.anchors.set(anchor, value);
    const dynamicAnchor = value['$dynamicAnchor'];
    if (typeof dynamicAnchor === 'string') {
      resource.anchors.set(dynamicAnchor, value);
      resource.dynamicAnchors.set(dynamicAnchor, value);
    }
    for (const child of subschemas(value)) walk(child.schema, resource);
  };

  const ownResource = (value: JsonSchema, parent: SchemaResource, dialect: Dialect): SchemaResource => {
    const id = value['$id'];
    // Draft-07 ignores the siblings of `$ref`, including `$id`.
    if (typeof id !== 'string' || (dialect.draft === 'draft-07' && '$ref' in value)) return parent;
    const uri = join(id, parent.uri);
    if (uri === undefined) return parent;
    if (id.startsWith('#')) {
      parent.anchors.set(id.slice(1), value);
      return parent;
    }
    return enter(value, withoutFragment(uri), dialect);
  };

  const load = (uri: string): SchemaResource | undefined => {
    const existing = resources.get(uri);
    if (existing !== undefined) return existing;
    const document = documents.get(uri);
    if (document === undefined) return undefined;
    const resource = open(document, uri);
    resources.set(uri, resource);
    return resource;
  };

  const open = (value: Schema, uri: string): SchemaResource => {
    const base: SchemaResource = { uri, root: value, dialect: fallback, anchors: new Map(), dynamicAnchors: new Map() };
    if (!isSchemaObject(value)) return base;
    const resource = { ...base, dialect: dialectOf(value, fallback) };
    walk(value, resource);
    return owners.get(value) ?? resource;
  };

  const resolvePointer = (resource: SchemaResource, pointer: string): ReferenceTarget | undefined => {
    let at: unknown = resource.root;
    let owner = resource;
    for (const key of parsePointer(pointer)) {
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
      at = Reflect.get(at, key);
      if (isSchemaObject(at)) owner = owners.get(at) ?? owner;
    }
    if (!isSchema(at)) return undefined;
    walk(at, owner); // a schema under an unknown keyword is indexed once something refers to it
    return { schema: at, resource: isSchemaObject(at) ? (owners.get(at) ?? owner) : owner };
  };

  const root = open(schema, ROOT_URI);
  resources.set(ROOT_URI, root);

  return {
    root,
    resourceOf: (value) => owners.get(value) ?? root,
    resolve(reference, from) {
      const uri = join(reference, from.uri);
      if (uri === undefined) return undefined;
      const resource = load(withoutFragment(uri));
      if (resource === undefined) return undefined;
      const fragment = decode(uri.split('#').slice(1).join('#'));
      if (fragment === '') return { schema: resource.root, resource };
      if (fragment.startsWith('/')) return resolvePointer(resource, fragment);
      const anchored = resource.anchors.get(fragment);
      if (anchored === undefined) return undefined;
      const dynamic = resource.dynamicAnchors.get(fragment) === anchored;
      return { schema: anchored, resource, ...(dynamic ? { dynamicName: fragment } : {}) };
    },
  };
}

function join(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function withoutFragment(uri: string): string {
  const hash = uri.indexOf('#');
  return hash < 0 ? uri : uri.slice(0, hash);
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
