import { asFields, parseJson } from '../json-fields.ts';
import type { TextCall } from './format.ts';
import { jsonItems, jsonMembers } from './json-text.ts';

const ARGUMENT_KEYS = ['arguments', 'parameters'];
const NAME_KEYS = ['name', 'function'];
const ALLOWED_KEYS = new Set([...ARGUMENT_KEYS, ...NAME_KEYS, 'id', 'type']);

// `{"name", "arguments"}` or a list of them, with its common variants: `parameters`, `function`, arguments as text, `{"type": "function", …}` around it.
// The arguments stay as they were written. `strict`: a call without them is none.
export function readCallObjects(text: string, strict = false): readonly TextCall[] | undefined {
  const value = parseJson(text);
  if (Array.isArray(value)) {
    const calls = jsonItems(text).map((item) => readOne(item, strict));
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
  }
  const call = asFields(value) === undefined ? undefined : readOne(text, strict);
  return call === undefined ? undefined : [call];
}

function readOne(text: string, strict: boolean): TextCall | undefined {
  if (asFields(parseJson(text)) === undefined) return undefined;
  const members = jsonMembers(text);
  if ([...members.keys()].some((key) => !ALLOWED_KEYS.has(key))) return undefined;
  const wrapped = members.get('function');
  if (wrapped?.startsWith('{') === true) return members.has('name') ? undefined : readOne(wrapped, strict);
  const name = NAME_KEYS.map((key) => parseJson(members.get(key) ?? '')).find((value) => typeof value === 'string');
  if (typeof name !== 'string') return undefined;
  const argumentText = ARGUMENT_KEYS.map((key) => members.get(key)).find((value) => value !== undefined);
  if (argumentText === undefined) return strict ? undefined : { name, arguments: '{}' };
  const object = argumentObject(argumentText);
  return object === undefined ? undefined : { name, arguments: object };
}

/** Taken out of a JSON string if it is in one; blank text and null are `{}`. Undefined for anything but an object. */
export function argumentObject(text: string): string | undefined {
  const value = parseJson(text);
  if (value === null || text.trim() === '') return '{}';
  if (typeof value === 'string') {
    if (value.trim() === '') return '{}';
    return asFields(parseJson(value)) === undefined ? undefined : value;
  }
  return asFields(value) === undefined ? undefined : text;
}
