import { asFields, parseJson } from '../json-fields.ts';
import type { TextCall } from './format.ts';

/** Finds the end of one object or array, after optional white space. */
export function createJsonEnd(from: number) {
  let at = from;
  let depth = 0;
  let inText = false;
  let escaped = false;
  return {
    /** Continues where it stopped. The length up to the end of the value, undefined if more is needed, -1 if it is not JSON. */
    find(text: string) {
      for (; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (escaped) escaped = false;
        else if (inText) {
          if (code === 0x5c) escaped = true;
          else if (code === 0x22) inText = false;
        } else if (code === 0x7b || code === 0x5b) depth += 1;
        else if (code === 0x7d || code === 0x5d) {
          depth -= 1;
          if (depth === 0) return at + 1;
          if (depth < 0) return -1;
        } else if (depth === 0) {
          if (!isSpace(code)) return -1;
        } else if (code === 0x22) inText = true;
      }
      return undefined;
    },
  };
}

export type JsonEnd = ReturnType<typeof createJsonEnd>;

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

/** Each value as it was written. Of a repeated key the last one counts. */
export function jsonMembers(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const piece of jsonItems(text)) {
    const colon = endOfString(piece, 0);
    const key: unknown = JSON.parse(piece.slice(0, colon));
    if (typeof key === 'string') members.set(key, piece.slice(piece.indexOf(':', colon) + 1).trim());
  }
  return members;
}

/** Splits at the commas of the outermost brackets. */
export function jsonItems(text: string): readonly string[] {
  const inner = text.trim().slice(1, -1);
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < inner.length; at += 1) {
    const code = inner.charCodeAt(at);
    if (code === 0x22) at = endOfString(inner, at) - 1;
    else if (code === 0x7b || code === 0x5b) depth += 1;
    else if (code === 0x7d || code === 0x5d) depth -= 1;
    else if (code === 0x2c && depth === 0) {
      parts.push(inner.slice(start, at).trim());
      start = at + 1;
    }
  }
  const last = inner.slice(start).trim();
  return last === '' ? parts : [...parts, last];
}

/** Beyond the text if the string does not end. */
export function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at + 1;
}

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
