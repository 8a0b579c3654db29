import { isObject, parsePointer, sliceHead } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { compileServerPattern } from './output-patterns.ts';

/** How large an output schema may be. */
const MAX_SCHEMAS = 10_000;
const MAX_PATTERN_LENGTH = 2000;

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']);
/** Keywords that hold one schema, a list of them, or a map of them. */
const SINGLE = [
  'additionalProperties',
  'propertyNames',
  'items',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const NUMBERS = [
  'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength',
  'minItems maxItems minContains maxContains minProperties maxProperties',
].flatMap((line) => line.split(' '));

/** Says what is wrong with an output schema, so that its tool cannot be used; undefined for one that results can be checked with. */
export function findSchemaFault(root: unknown): string | undefined {
  const waiting: unknown[] = [root];
  for (let count = 0; waiting.length > 0; count += 1) {
    const schema = waiting.pop();
    if (count === MAX_SCHEMAS) return `it has more than ${MAX_SCHEMAS} subschemas`;
    if (typeof schema === 'boolean') continue;
    if (!isObject(schema)) return 'one of its schemas is not an object';
    const fault = faultOf(root, schema);
    if (fault !== undefined) return fault;
    for (const keyword of SINGLE) {
      const child = schema[keyword];
      if (child !== undefined && !Array.isArray(child)) waiting.push(child);
    }
    for (const keyword of LISTS) for (const child of listOf(schema[keyword])) waiting.push(child);
    for (const keyword of MAPS) if (isObject(schema[keyword])) waiting.push(...Object.values(schema[keyword]));
  }
  return undefined;
}

function faultOf(root: unknown, schema: JsonSchema): string | undefined {
  const { $ref, type, pattern, patternProperties } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).every((each) => TYPES.has(each)))
    return `${shown(type)} is not a type`;
  if (typeof $ref === 'string' && !isSchema(resolveRef(root, $ref)))
    return `the reference ${shown($ref)} leads nowhere`;
  for (const keyword of NUMBERS)
    if (schema[keyword] !== undefined && typeof schema[keyword] !== 'number') return `"${keyword}" is not a number`;
  const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  for (const source of pattern === undefined ? patterns : [pattern, ...patterns]) {
    if (typeof source !== 'string' || source.length > MAX_PATTERN_LENGTH || !isPattern(source))
      return `${shown(source)} is not a pattern that can be used`;
  }
  return undefined;
}

function isPattern(source: string): boolean {
  try {
    compileServerPattern(source);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is a schema: an object, or true or false. */
export function isSchema(value: unknown): value is JsonSchema | boolean {
  return typeof value === 'boolean' || isObject(value);
}

/** The value as a list; empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Resolves a reference inside the schema: a JSON pointer, or an `$anchor` of a definition. Undefined for any other. */
export function resolveRef(root: unknown, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return ref.startsWith('#') ? findAnchor(root, ref.slice(1)) : undefined;
  let at: unknown = root;
  for (const key of parsePointer(decoded(ref.slice(1)))) {
    if ((typeof at !== 'object' && !Array.isArray(at)) || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function findAnchor(root: unknown, name: string): unknown {
  if (!isObject(root)) return undefined;
  return ['$defs', 'definitions']
    .flatMap((keyword) => (isObject(root[keyword]) ? Object.values(root[keyword]) : []))
    .find((schema) => isObject(schema) && schema['$anchor'] === name);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function shown(value: unknown): string {
  return sliceHead(JSON.stringify(value) ?? 'undefined', 80);
}
