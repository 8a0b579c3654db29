import { isObject } from './json.ts';

/** How deep values are looked through: `JSON.stringify` does not go much deeper, and what it writes is checked again on a wire. */
const MAX_DEPTH = 1000;
const ESCAPE = String.raw`\u`;

/** JSON text whose strings are well-formed Unicode: half a surrogate pair, raw or escaped, becomes U+FFFD. Vendors and strict parsers refuse the whole text otherwise. */
export function wellFormedJson(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!whole.includes(ESCAPE) || !/\\u[Dd]/.test(whole)) return whole;
  // A whole pair of escapes, then half of one; any other escape is passed over, so that the second backslash of two begins none.
  const escapes = /\\(?:u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u[Dd][89A-Fa-f]..|[^])/g;
  return whole.replaceAll(escapes, (escape) => (/^\\u[Dd][89A-Fa-f]..$/.test(escape) ? String.raw`\ufffd` : escape));
}

/** `JSON.stringify` with strings that are well-formed Unicode. */
export function toJsonText(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}

/**
 * A JSON value whose strings and keys are well-formed Unicode, without change the same object. The arguments of a call are JSON text, in which escapes
 * count, too.
 */
export function wellFormed<T>(value: T): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the same type: only characters of its strings differ
  return isSound(value, 0) ? value : (repair(value, 0) as T);
}

/** Whether nothing is to be repaired. Every message of a run is looked through, so that this reads each member once and makes nothing. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (!isSound(value[at], depth + 1)) return false;
    return true;
  }
  if (!isObject(value) || ArrayBuffer.isView(value)) return true;
  for (const key in value) {
    const member = value[key];
    const isSoundMember = typeof member === 'string' ? member.isWellFormed() : isSound(member, depth + 1);
    if (!isSoundMember || !key.isWellFormed()) return false;
    // In the arguments of a call escapes count, too.
    if (key === 'arguments' && typeof member === 'string' && member.includes(ESCAPE)) return false;
  }
  return true;
}

function repair(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => repair(item, depth + 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: [string, unknown][] | undefined; // made where something differs
  for (const [index, key] of Object.keys(value).entries()) {
    const member: unknown = Reflect.get(value, key);
    const isCall = key === 'arguments' && typeof member === 'string' && 'type' in value && value.type === 'tool-call';
    const sound = isCall ? wellFormedJson(member) : repair(member, depth + 1);
    if (sound !== member || !key.isWellFormed()) (copy ??= Object.entries(value))[index] = [key.toWellFormed(), sound];
  }
  return copy === undefined ? value : Object.fromEntries(copy);
}
