import { attempt, isObject } from '@kernel/internal';
import type { JsonObject, JsonSchema, JsonValue, Tool } from '@kernel/protocol';
import { conceptOf } from '../language/lexicon.ts';
import { wordsOf } from '../language/lexicon.ts';

/** The kind of value that an argument takes, judged by its schema, name and description; `other` is never filled. */
type SlotKind = TextKind | 'enum' | 'number' | 'numbers' | 'text' | 'other';
type TextKind = 'date' | 'zone' | 'url' | 'email' | 'path' | 'expression' | 'search';

export interface Slot {
  readonly name: string;
  readonly kind: SlotKind;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly concepts: readonly string[];
  readonly target: 'file' | 'folder' | 'any';
}

const KINDS: readonly (readonly [TextKind, name: RegExp, description: RegExp])[] = [
  ['zone', /^(?:tz|timezone)$|\bzone\b/, /\btime ?zone\b|\bIANA\b/i],
  ['expression', /\b(?:expression|formula|equation|calculation|arithmetic)\b/, /\barithmetic\b/i],
  ['url', /\b(?:url|uri|link|href)\b/, /\bURL\b/],
  ['email', /\be ?mail\b/, /\be-?mail address\b/i],
  [
    'path',
    /\b(?:path|file|filename|folder|directory|dir)\b/,
    /^(?:the )?(?:relative )?(?:path|file|folder|directory)\b/i,
  ],
  ['search', /\b(?:query|pattern|search|needle|regex|keywords?|term|q)\b/, /\b(?:search|look) for\b/i],
  ['date', /\b(?:date|day|deadline|due|since|until|birthday)\b/, /\bdate\b/i],
];
const FORMATS = new Map<unknown, SlotKind>([
  ['date', 'date'],
  ['date-time', 'other'],
  ['time', 'other'],
  ['uri', 'url'],
  ['email', 'email'],
]);

export function slotsOf({ name: toolName, parameters }: Tool): readonly Slot[] {
  const required: readonly unknown[] = Array.isArray(parameters['required']) ? parameters['required'] : [];
  const properties = isObject(parameters['properties']) ? Object.entries(parameters['properties']) : [];
  return properties.map(([name, value]) => {
    const schema: JsonSchema = isObject(value) ? value : { type: 'other' };
    const words = wordsOf(name);
    const about = typeof schema['description'] === 'string' ? schema['description'] : '';
    return {
      name,
      kind: kindOf(schema, words.join(' '), about),
      schema,
      required: required.includes(name) && !('default' in schema),
      concepts: words.map(conceptOf),
      target: targetOf(`${words.join(' ')} ${about}`, wordsOf(toolName).join(' ')),
    };
  });
}

function kindOf(schema: JsonSchema, name: string, about: string): SlotKind {
  if (Array.isArray(schema['enum'])) return 'enum';
  const type = [schema['type']].flat().find((one) => one !== 'null') ?? 'string';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array' && isObject(schema['items']) && /^(?:number|integer)$/.test(String(schema['items']['type'])))
    return 'numbers';
  if (type !== 'string' || ['$ref', 'anyOf', 'oneOf', 'const'].some((keyword) => keyword in schema)) return 'other';
  const byName = FORMATS.get(schema['format']) ?? KINDS.find(([, names]) => names.test(name))?.[0];
  return byName ?? KINDS.find(([, , abouts]) => abouts.test(about))?.[0] ?? 'text';
}

function targetOf(own: string, context: string): Slot['target'] {
  for (const text of [own, context]) {
    const file = /\bfile/i.test(text);
    const folder = /\b(?:folder|director|dir\b)/i.test(text);
    if (file !== folder) return file ? 'file' : 'folder';
    if (file && folder) return 'any';
  }
  return 'any';
}

const NOTES = /^(?:\$schema|\$id|\$comment|title|description|default|examples|deprecated|format)$/;

const KEEPS: Readonly<Record<string, (value: JsonValue, limit: unknown) => boolean>> = {
  type: (value, limit) => {
    const type = Array.isArray(value) ? 'array' : typeof value;
    return [limit].flat().some((one) => one === type || (one === 'integer' && Number.isInteger(value)));
  },
  enum: (value, limit) => Array.isArray(limit) && limit.includes(value),
  const: (value, limit) => value === limit,
  pattern: (value, limit) =>
    // A pattern that this engine cannot compile is left to the validator of the tools.
    typeof value !== 'string' || (attempt(() => new RegExp(String(limit), 'u'))?.test(value) ?? true),
  minLength: (value, limit) => typeof value !== 'string' || value.length >= Number(limit),
  maxLength: (value, limit) => typeof value !== 'string' || value.length <= Number(limit),
  minimum: (value, limit) => typeof value !== 'number' || value >= Number(limit),
  maximum: (value, limit) => typeof value !== 'number' || value <= Number(limit),
  exclusiveMinimum: (value, limit) => typeof value !== 'number' || value > Number(limit),
  exclusiveMaximum: (value, limit) => typeof value !== 'number' || value < Number(limit),
};

/** Whether a value keeps the limits of a schema. Keywords that are not known here are left to the validator of the tools, unless it has to be `certain`. */
export function isWithin(value: JsonValue, schema: JsonSchema, certain = false): boolean {
  return Object.entries(schema).every(([keyword, limit]) =>
    Object.hasOwn(KEEPS, keyword) ? KEEPS[keyword]?.(value, limit) === true : !certain || NOTES.test(keyword),
  );
}

/** Whether a call is certainly valid: it has what the tool requires and nothing that it does not know, and no keyword of the schema is unknown here. */
export function isValidCall({ parameters }: Tool, input: JsonObject): boolean {
  const { type: _, properties = {}, required = [], additionalProperties: __, ...others } = parameters;
  if (!isObject(properties) || !Array.isArray(required)) return false;
  if (!Object.keys(others).every((keyword) => NOTES.test(keyword))) return false;
  if (required.some((name) => typeof name !== 'string' || !Object.hasOwn(input, name))) return false;
  return Object.entries(input).every(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isObject(schema) && isWithin(value, schema, true);
  });
}
