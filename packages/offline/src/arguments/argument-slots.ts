import type { JsonSchema, Tool } from '@kernel/protocol';
import { isObject, parsePointer } from '@kernel/internal';
import { conceptOf } from '../language/lexicon.ts';
import { stemOf, wordsOf } from '../language/stem.ts';

/** The kind of value that an argument takes, judged by its schema, name and description. */
type SlotKind =
  | 'enum'
  | 'boolean'
  | 'number'
  | 'array'
  | 'object'
  | 'date'
  | 'clock'
  | 'zone'
  | 'url'
  | 'email'
  | 'path'
  | 'expression'
  | 'search'
  | 'place'
  | 'message'
  | 'text';

/** One argument of a tool, as something to fill. */
export interface Slot {
  /** The name of the property. */
  readonly name: string;
  /** The kind of value that it takes. */
  readonly kind: SlotKind;
  /** Its schema, with a local `$ref` resolved. */
  readonly schema: JsonSchema;
  /** Whether a call without it is invalid. */
  readonly required: boolean;
  /** The concepts of the argument's name. */
  readonly concepts: readonly string[];
  /** Whether a path is to a file, a folder or either. */
  readonly target: 'file' | 'folder' | 'any';
  /** The properties of an object, or one slot for the items of an array. */
  readonly inner: readonly Slot[];
}

const KINDS: readonly (readonly [SlotKind, name: RegExp, description: RegExp])[] = [
  ['zone', /^(?:tz|timezone)$|\bzone\b/, /\btime ?zone\b|\bIANA\b/i],
  [
    'expression',
    /\b(?:expression|formula|equation|calculation|arithmetic)\b/,
    /\barithmetic\b|\b(?<!regular )expression to\b/i,
  ],
  ['url', /\b(?:url|uri|link|href)\b/, /\bURL\b/],
  ['email', /\be ?mail\b/, /\be-?mail address\b/i],
  [
    'path',
    /\b(?:path|file|filename|folder|directory|dir)\b/,
    /^(?:the )?(?:relative )?(?:path|file|folder|directory)\b/i,
  ],
  ['search', /\b(?:query|pattern|search|needle|regex|keywords?|term|q)\b/, /\b(?:search|look) for\b/i],
  ['place', /\b(?:city|place|location|country|town|region|destination|origin|address)\b/, /\b(?:city|town|place)\b/i],
  ['date', /\b(?:date|day|deadline|due|since|until|birthday)\b/, /\bdate\b/i],
  ['clock', /\b(?:time|hour)\b/, /\btime of day\b/i],
  ['message', /\b(?:text|message|content|body|note|comment|title|subject)\b/, /\b(?:text|message) to\b/i],
];

const FORMATS = new Map<unknown, SlotKind>([
  ['date', 'date'],
  ['date-time', 'date'],
  ['time', 'clock'],
  ['uri', 'url'],
  ['uri-reference', 'url'],
  ['email', 'email'],
]);

/** Returns a slot for each property of a tool's schema, in order. */
export function slotsOf(tool: Tool): readonly Slot[] {
  return propertySlots(tool.parameters, tool.parameters, wordsOf(tool.name).join(' '));
}

function propertySlots(schema: JsonSchema, root: JsonSchema, context: string): readonly Slot[] {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  return properties.flatMap(([name, value]) => {
    const resolved = resolve(value, root);
    return resolved === undefined ? [] : [toSlot(name, resolved, root, required.has(name), context)];
  });
}

function toSlot(name: string, schema: JsonSchema, root: JsonSchema, required: boolean, context: string): Slot {
  const nameWords = wordsOf(name);
  const about = typeof schema['description'] === 'string' ? schema['description'] : '';
  const kind = kindOf(schema, nameWords.join(' '), about);
  const items = kind === 'array' ? resolve(schema['items'] ?? {}, root) : undefined;
  return {
    name,
    kind,
    schema,
    required,
    concepts: nameWords.map((word) => conceptOf(stemOf(word))),
    target: targetOf(`${nameWords.join(' ')} ${about}`, context),
    inner:
      kind === 'object'
        ? propertySlots(schema, root, context)
        : items === undefined
          ? []
          : [toSlot(name, { description: about, ...items }, root, true, context)],
  };
}

function kindOf(schema: JsonSchema, name: string, about: string): SlotKind {
  if (Array.isArray(schema['enum']) || 'const' in schema) return 'enum';
  const types = [schema['type']].flat();
  const type = types.find((one) => one !== 'null') ?? (isObject(schema['properties']) ? 'object' : 'string');
  if (type === 'integer') return 'number';
  if (type === 'boolean' || type === 'number' || type === 'array' || type === 'object') return type;
  const format = FORMATS.get(schema['format']);
  if (format !== undefined) return format;
  const byName = KINDS.find(([, names]) => names.test(name));
  return (byName ?? KINDS.find(([, , abouts]) => abouts.test(about)))?.[0] ?? 'text';
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

/** Follows one local `$ref` and picks the non-null branch of a nullable schema. */
function resolve(value: unknown, root: JsonSchema): JsonSchema | undefined {
  if (!isObject(value)) return undefined;
  const { $ref: reference, ...beside } = value;
  if (typeof reference === 'string') {
    const target = reference.startsWith('#/') ? atPointer(root, reference.slice(1)) : undefined;
    return isObject(target) && !('$ref' in target) ? { ...target, ...beside } : undefined;
  }
  const choices = value['anyOf'] ?? value['oneOf'];
  if (!Array.isArray(choices)) return value;
  const choice: unknown = choices.find((one) => isObject(one) && one['type'] !== 'null' && !('$ref' in one));
  return isObject(choice) ? { ...value, ...choice } : undefined;
}

function atPointer(root: JsonSchema, pointer: string): unknown {
  let at: unknown = root;
  for (const key of parsePointer(pointer)) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return at;
}
