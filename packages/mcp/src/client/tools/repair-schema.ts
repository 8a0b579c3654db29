import { attempt, isObject } from '@kernel/internal';

/** Keywords whose value is data, not a schema. */
export const KEYWORDS_OF_DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);
/** Keywords that map names to schemas: a property may be called `description`. */
export const KEYWORDS_OF_NAMES: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

const TYPES = new Map(
  ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'].map((name) => [name, name] as const),
);
for (const [alias, name] of Object.entries({ str: 'string', int: 'integer', float: 'number', double: 'number' }))
  TYPES.set(alias, name);
for (const [alias, name] of Object.entries({ bool: 'boolean', dict: 'object', list: 'array', none: 'null' }))
  TYPES.set(alias, name);

const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'enum']);
const SCHEMAS: ReadonlySet<string> = new Set(
  'items additionalProperties additionalItems contains propertyNames not if then else unevaluatedProperties'.split(' '),
);
const NUMBERS = /^(?:(?:min|max)(?:Length|Items|Properties|imum)|exclusive(?:Min|Max)imum|multipleOf)$/;

/**
 * Repairs what vendors refuse in a schema where it has one reading: null in place of an absent keyword, drafts 3 and 4,
 * types of other languages, keywords among the properties, an empty array for an empty object. The rest stays as it is,
 * for `findSchemaFault` to name. The schema must not be too deep.
 */
export function repairSchema(schema: unknown, enclosing: unknown = schema): unknown {
  if (isEmptyList(schema)) return {};
  if (!isObject(schema)) return schema;
  // A reference is looked up in the schema that has the nearest `$id`.
  const root = typeof schema['$id'] === 'string' ? schema : enclosing;
  const fields = new Map(Object.entries(schema).filter(([key, value]) => value !== null || KEYWORDS_OF_DATA.has(key)));
  const isBad = (value: unknown): boolean => value === null || isEmptyList(value);
  for (const [key, value] of fields) {
    if (LISTS.has(key) && isBad(value)) fields.delete(key);
    else if (KEYWORDS_OF_DATA.has(key)) continue;
    else if (SCHEMAS.has(key))
      fields.set(key, Array.isArray(value) ? repairList(value, root) : repairSchema(value, root));
    else if (LISTS.has(key) || key === 'prefixItems') fields.set(key, repairList(value, root));
    else if (KEYWORDS_OF_NAMES.has(key)) fields.set(key, isEmptyList(value) ? {} : repairMap(value, root));
    else if (key === '$ref') fields.set(key, foundReference(value, root));
    else if (key === 'pattern' && !isPattern(value)) fields.delete(key);
    else if (NUMBERS.test(key) && typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
      fields.set(key, Number(value));
  }
  repairType(fields);
  repairBounds(fields);
  repairProperties(fields, isObject(schema['properties']) ? schema['properties'] : {});
  return Object.fromEntries(fields);
}

/** Repairs the schema of a tool's arguments. A tool without one takes no arguments. */
export function repairInputSchema(schema: unknown): unknown {
  const repaired = repairSchema(schema ?? { properties: {} });
  if (!isObject(repaired)) return repaired;
  const { type = 'object' } = repaired;
  return { ...repaired, type: Array.isArray(type) && type.includes('object') ? 'object' : type };
}

export function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function repairList(value: unknown, root: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.length === 0 ? {} : value.map((each) => repairSchema(each, root));
}

/** Keywords among the names are left to `repairProperties`. */
function repairMap(value: unknown, root: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, repairSchema(each, root)]));
}

function repairType(fields: Map<string, unknown>): void {
  const type = fields.get('type');
  const names: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (names.some((name) => typeof name === 'string' && /^any$/i.test(name))) fields.delete('type');
  else if (typeof type === 'string') fields.set('type', typeName(type) ?? type);
  else if (Array.isArray(type)) fields.set('type', [...new Set(names.map((name) => typeName(name) ?? name))]);
}

function typeName(value: unknown): string | undefined {
  return typeof value === 'string' ? TYPES.get(value.toLowerCase()) : undefined;
}

/** Writes the bounds of draft 4: `exclusiveMinimum: true` beside `minimum`. */
function repairBounds(fields: Map<string, unknown>): void {
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const isExclusive = fields.get(flag);
    if (typeof isExclusive !== 'boolean') continue;
    fields.delete(flag);
    if (!isExclusive || !fields.has(bound)) continue;
    fields.set(flag, fields.get(bound));
    fields.delete(bound);
  }
}

/**
 * Moves `required: true` of a property (draft 3) and keywords among the properties to where they belong, and makes
 * schemas of the other values.
 */
function repairProperties(fields: Map<string, unknown>, given: { readonly [name: string]: unknown }): void {
  const required = fields.get('required');
  if (typeof required === 'boolean') fields.delete('required');
  if (typeof required === 'string') fields.set('required', [required]);
  const properties = fields.get('properties');
  if (!isObject(properties)) return;
  const repaired = new Map<string, unknown>();
  const added: unknown[] = [];
  for (const [name, value] of Object.entries(properties)) {
    const own = given[name];
    if (isObject(own) && own['required'] === true) added.push(name);
    const type = name === 'type' ? undefined : typeName(value);
    const isKeyword =
      (name === 'additionalProperties' && typeof value === 'boolean') ||
      (['title', 'description', '$schema'].includes(name) && typeof value === 'string' && type === undefined);
    if (name === 'required' && Array.isArray(own)) added.push(...(own as readonly unknown[]));
    else if (isKeyword) fields.set(name, fields.get(name) ?? value);
    else if (name === 'type' && typeof value === 'string' && typeName(value) === 'object') continue;
    else repaired.set(name, propertyOf(value, type));
  }
  fields.set('properties', Object.fromEntries(repaired));
  const all = fields.get('required') ?? [];
  if (added.length > 0 && Array.isArray(all)) fields.set('required', [...new Set([...(all as unknown[]), ...added])]);
}

function propertyOf(value: unknown, type: string | undefined): unknown {
  if (type !== undefined) return { type };
  if (value === false) return { not: {} };
  return value === true || value === null ? {} : value;
}

/** Finds a definition by its name under the other keyword that holds definitions. */
function foundReference(reference: unknown, root: unknown): unknown {
  const [, name = ''] = /^#\/(?:definitions|\$defs|components\/schemas)\/([^/]+)$/.exec(String(reference)) ?? [];
  if (!isObject(root) || isObject(root['components'])) return reference;
  const isThere = (key: string): boolean => isObject(root[key]) && Object.hasOwn(root[key], name);
  const home = ['$defs', 'definitions'].filter(isThere);
  return home.length === 1 ? `#/${home[0]}/${name}` : reference;
}

/** By JSON Schema, a pattern is a regular expression of ECMA-262: vendors refuse those of other languages. */
function isPattern(value: unknown): boolean {
  const source = String(value);
  return attempt(() => new RegExp(source, 'u')) !== undefined || attempt(() => new RegExp(source)) !== undefined;
}
