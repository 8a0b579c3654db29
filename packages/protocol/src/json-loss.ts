import { pointerToken } from '@kernel/internal';
import { KernelError } from './error.ts';
import { parseNumber } from './exact-number.ts';

/** Something in JSON text that `JSON.parse` drops or changes without saying so. */
export interface JsonLoss {
  /** `duplicate-key`: only the last value of the key would be kept. `number`: the number would be rounded. */
  readonly kind: 'duplicate-key' | 'number';
  /** JSON pointer to the value. */
  readonly path: string;
  /** The key, or the number as it is written. */
  readonly text: string;
}

/** An object or array that is open at the current position. */
interface Frame {
  readonly keys: Set<string> | undefined;
  /** The key or index of the current value. */
  at: string | number;
}

const NUMBER = /-?\d[\d.eE+-]*/y;
/** What a number that is nearer to zero than any number but zero needs: a negative exponent or hundreds of zeros. */
const MAY_UNDERFLOW = /\d[eE]-\d|0{300}/;
const MAX_SHOWN = 40;
const MAX_PATH = 80;

/**
 * Returns the first loss in JSON text: a number that was rounded and, with `duplicateKeys`, the first key that an object has twice. `parsed` is what `JSON.parse`
 * made of the text. Takes linear time; keys are compared as JSON decodes them. Most texts are cleared by counting alone.
 */
export function findJsonLoss(text: string, parsed: unknown, duplicateKeys: boolean): JsonLoss | undefined {
  const keys = countKeysOf(parsed);
  // Each key has a colon: without more colons than keys, there is no key that was dropped.
  const isClear = !Number.isNaN(keys) && (!duplicateKeys || keys === countColons(text)) && !MAY_UNDERFLOW.test(text);
  return isClear ? undefined : scan(text, duplicateKeys);
}

/** Returns the error for a loss: `ARGUMENTS_INVALID`, which names the tool, the value and its pointer. */
export function jsonLossError({ kind, path, text }: JsonLoss, toolName: string): KernelError {
  const shown = shorten(text, MAX_SHOWN);
  const where = shorten(path === '' ? '/' : path, MAX_PATH);
  const isDuplicate = kind === 'duplicate-key';
  const problem = isDuplicate
    ? `the key "${shown}" is there twice, at "${where}"`
    : `the number ${shown} at "${where}" would be rounded`;
  return new KernelError('ARGUMENTS_INVALID', `"${shorten(toolName, MAX_SHOWN)}" refused its arguments: ${problem}.`, {
    hint: isDuplicate
      ? 'Send each key once.'
      : 'Send a whole number between -(2^53-1) and 2^53-1, or a string if the tool takes one.',
    data: { tool: toolName, path: shorten(path, 200), [isDuplicate ? 'key' : 'number']: shorten(text, 200) },
  });
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function countKeysOf(parsed: unknown): number {
  try {
    return countMember(parsed);
  } catch {
    return Number.NaN; // so deep that the stack overflows: the scan does not recurse
  }
}

/** How many keys the objects of a parsed value have in total; `NaN` if a number in it is outside ±(2^53-1). Every call pays for it. */
function countKeys(value: object): number {
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = members === value ? 0 : members.length;
  for (let index = 0; index < members.length; index += 1) count += countMember(members[index]);
  return count;
}

function countMember(value: unknown): number {
  if (typeof value === 'string') return 0;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  return typeof value === 'object' && value !== null ? countKeys(value) : 0;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

function scan(text: string, duplicateKeys: boolean): JsonLoss | undefined {
  const open: Frame[] = [];
  let isKey = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const frame = open.at(-1);
    switch (code) {
      case 0x7b: // {
        open.push({ keys: new Set(), at: '' });
        isKey = true;
        break;
      case 0x5b: // [
        open.push({ keys: undefined, at: 0 });
        isKey = false;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        isKey = false;
        break;
      case 0x2c: // ,
        if (typeof frame?.at === 'number') frame.at += 1;
        else isKey = true;
        break;
      case 0x22: {
        const end = stringEnd(text, index);
        if (isKey && frame?.keys !== undefined) {
          const key = decodeString(text.slice(index, end));
          frame.at = key;
          if (duplicateKeys && frame.keys.has(key)) return { kind: 'duplicate-key', path: pointerOf(open), text: key };
          frame.keys.add(key);
          isKey = false;
        }
        index = end - 1;
        break;
      }
      default: {
        if (code !== 0x2d && (code < 0x30 || code > 0x39)) break;
        NUMBER.lastIndex = index;
        const number = NUMBER.exec(text)?.[0] ?? '';
        if (isRounded(number)) return { kind: 'number', path: pointerOf(open), text: number };
        index += Math.max(0, number.length - 1);
      }
    }
  }
  return undefined;
}

/** Whether a number in JSON text would be rounded: an integer outside ±(2^53-1), or one that overflows, becomes 0 or loses whole digits. */
function isRounded(text: string): boolean {
  const value = Number(text);
  if (value === 0) return /^-?[\d.]*[1-9]/.test(text);
  if (/^-?\d+$/.test(text)) return !Number.isSafeInteger(value);
  // Below 2^53, a fraction has its usual meaning in JSON: the nearest number.
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return false;
  return parseNumber(text) === undefined;
}

function pointerOf(open: readonly Frame[]): string {
  return open.map(({ at }) => `/${pointerToken(at)}`).join('');
}

/** The position after the closing quote of the string that starts at `start`. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

/** Whether an odd number of backslashes precedes a position. Each run of backslashes is read once, by the quote that follows it. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === 0x5c) first -= 1;
  return (position - first) % 2 === 1;
}

function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  const decoded: unknown = JSON.parse(quoted);
  return String(decoded);
}
