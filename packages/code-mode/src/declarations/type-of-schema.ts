import { isObject, parsePointer, sliceHead, truncate } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';

/** How deep objects are written out; what is deeper is `unknown`. */
const MAX_DEPTH = 6;
/** How long a type may get; a longer one is `unknown`. */
const MAX_LENGTH = 4000;
/** How many types may be written into one: schemas that refer to each other could make it as long as they like. */
const MAX_TYPES = 1000;
/** How deep choices may be in choices. */
const MAX_CHOICES = 20;
/** A longer list of values is its type. */
const MAX_VALUES = 100;

/** Returns the TypeScript type of the values of a schema, with descriptions as comments; `unknown` for what TypeScript cannot say. */
export function typeOfSchema(schema: JsonSchema | boolean | undefined): string {
  const type = typeOf(schema, { root: schema, depth: 0, choices: 0, refs: [], left: { types: MAX_TYPES } });
  return type.length > MAX_LENGTH ? 'unknown' : type;
}

interface Place {
  readonly root: unknown;
  readonly depth: number;
  /** How many choices it is in. */
  readonly choices: number;
  /** The references that lead here: one that leads back to itself is `unknown`. */
  readonly refs: readonly string[];
  /** What the whole type may still have. */
  readonly left: { types: number };
}

function typeOf(schema: unknown, place: Place): string {
  if (!isObject(schema)) return schema === false ? 'never' : 'unknown';
  place.left.types -= 1;
  if (place.depth > MAX_DEPTH || place.choices > MAX_CHOICES || place.left.types < 0) return 'unknown';
  const { $ref: ref, const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof ref === 'string') return referenced(ref, place);
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(values) && values.length <= MAX_VALUES) return union(values.map((value) => JSON.stringify(value)));
  const choices = anyOf ?? oneOf;
  const within = { ...place, choices: place.choices + 1 };
  if (Array.isArray(choices)) return union(choices.map((choice) => typeOf(choice, within)));
  if (Array.isArray(allOf))
    return intersection(
      schema,
      allOf.map((part) => typeOf(part, within)),
      place,
    );
  if (Array.isArray(type)) return union(type.map((each) => typeNamed(each, schema, place)));
  return typeNamed(type ?? (isObject(schema['properties']) ? 'object' : undefined), schema, place);
}

function referenced(ref: string, place: Place): string {
  if (!ref.startsWith('#') || place.refs.includes(ref)) return 'unknown';
  let target = place.root;
  for (const key of parsePointer(ref.slice(1)))
    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  return typeOf(target, { ...place, depth: place.depth + 1, refs: [...place.refs, ref] });
}

function typeNamed(type: unknown, schema: { readonly [key: string]: unknown }, place: Place): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array': {
      const item = typeOf(schema['items'], { ...place, depth: place.depth + 1 });
      return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema, place);
    default:
      return 'unknown';
  }
}

function objectType(schema: { readonly [key: string]: unknown }, place: Place): string {
  const { properties, required, additionalProperties } = schema;
  if (!isObject(properties)) {
    const value = isObject(additionalProperties)
      ? typeOf(additionalProperties, { ...place, depth: place.depth + 1 })
      : 'unknown';
    return `Record<string, ${value}>`;
  }
  const names = Object.keys(properties);
  if (names.length === 0) return '{}';
  if (names.length > place.left.types) return 'unknown';
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const fields = names.map((name) => {
    const property = properties[name];
    const text = typeOf(property, { ...place, depth: place.depth + 1 });
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return `${commentOf(property)}${key}${isRequired.has(name) ? '' : '?'}: ${text}`;
  });
  return `{ ${fields.join('; ')} }`;
}

/** The description of a property before it, on one line. */
function commentOf(schema: unknown): string {
  const description = isObject(schema) ? schema['description'] : undefined;
  return typeof description === 'string' && description !== '' ? `/* ${oneLine(description, 160)} */ ` : '';
}

/** A text on one line that cannot end a comment. */
export function oneLine(text: string, most: number): string {
  const line = sliceHead(text, most * 4)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('*/', String.raw`*\/`)
    .trim();
  return truncate(line, most);
}

/** All of some types, and the properties that stand beside them. */
function intersection(schema: { readonly [key: string]: unknown }, types: readonly string[], place: Place): string {
  const own = isObject(schema['properties']) ? [objectType(schema, place)] : [];
  const known = [...new Set([...own, ...types])].filter((type) => type !== 'unknown');
  return (
    known
      .map((type) => (known.length > 1 && type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type))
      .join(' & ') || 'unknown'
  );
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  return distinct.length === 0 ? 'never' : distinct.includes('unknown') ? 'unknown' : distinct.join(' | ');
}
