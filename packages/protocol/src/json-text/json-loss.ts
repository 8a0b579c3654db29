import { pointerToken, truncate } from '@kernel/internal';
import { KernelError } from '../error.ts';
import { parseNumber } from './exact-number.ts';
import { type JsonFrame, scanJson } from './json-scan.ts';

/** Something in JSON text that `JSON.parse` drops or changes without saying so. */
export interface JsonLoss {
  /** `duplicate-key`: only the last value of the key would be kept. `number`: the number would be rounded. */
  readonly kind: 'duplicate-key' | 'number';
  /** JSON pointer to the value. */
  readonly path: string;
  /** The key, or the number as it is written. */
  readonly text: string;
}

interface Frame extends JsonFrame {
  readonly keys: Set<string>;
}

/** What a number that is nearer to zero than any number but zero needs: a negative exponent or hundreds of zeros. */
const MAY_UNDERFLOW = /\d[eE]-\d|0{300}/;
const MAX_SHOWN = 40;
const MAX_PATH = 80;

/**
 * Returns the first loss in JSON text: a rounded number and, with `refusesDuplicates`, the first duplicate key of an object. `parsed` is what
 * `JSON.parse` made of the text. Takes linear time; keys are compared as JSON decodes them. Most texts without a loss are recognized by counting.
 */
export function findJsonLoss(text: string, parsed: unknown, refusesDuplicates: boolean): JsonLoss | undefined {
  let keys: number;
  try {
    keys = countKeys(parsed);
  } catch {
    keys = Number.NaN; // so deep that the stack overflows: the scan does not recurse
  }
  // Each key has a colon: without more colons than keys, there is no key that was dropped.
  const isClear =
    !Number.isNaN(keys) && (!refusesDuplicates || keys === countColons(text)) && !MAY_UNDERFLOW.test(text);
  return isClear ? undefined : scan(text, refusesDuplicates);
}

/** Returns the error for a loss: `ARGUMENTS_INVALID`, which names the tool, the value and its pointer. */
export function jsonLossError({ kind, path, text }: JsonLoss, toolName: string): KernelError {
  const shown = truncate(text, MAX_SHOWN);
  const where = truncate(path === '' ? '/' : path, MAX_PATH);
  const isDuplicate = kind === 'duplicate-key';
  const problem = isDuplicate
    ? `the key "${shown}" is there twice, at "${where}"`
    : `the number ${shown} at "${where}" would be rounded`;
  return new KernelError('ARGUMENTS_INVALID', `"${truncate(toolName, MAX_SHOWN)}" refused its arguments: ${problem}.`, {
    hint: isDuplicate
      ? 'Send each key once.'
      : 'Send a whole number between -(2^53-1) and 2^53-1, or a string if the tool takes one.',
    data: { tool: toolName, path: truncate(path, 200), [isDuplicate ? 'key' : 'number']: truncate(text, 200) },
  });
}

/** How many keys the objects of a parsed value have in total; `NaN` if a number in it is outside ±(2^53-1). Every call pays for it. */
function countKeys(value: unknown): number {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) count += countKeys(value[at]);
    return count;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an object that JSON.parse made
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) count += 1 + countKeys(members[key]);
  return count;
}

function countColons(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}

/** Returns each key that an object of JSON text has twice, at any depth, once. The text need not be valid JSON. */
export function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>();
  scanJson<Frame>(text, {
    open: openFrame,
    key(key, { keys }) {
      if (keys.has(key)) found.add(key);
      keys.add(key);
      return false;
    },
  });
  return [...found];
}

function scan(text: string, refusesDuplicates: boolean): JsonLoss | undefined {
  let loss: JsonLoss | undefined;
  scanJson<Frame>(text, {
    open: openFrame,
    key(key, { keys }, open) {
      if (refusesDuplicates && keys.has(key)) loss = { kind: 'duplicate-key', path: pointerOf(open), text: key };
      keys.add(key);
      return loss !== undefined;
    },
    number(number, open) {
      if (isRounded(number)) loss = { kind: 'number', path: pointerOf(open), text: number };
      return loss !== undefined;
    },
  });
  return loss;
}

function openFrame(start: number, at: '' | 0): Frame {
  return { start, at, keys: new Set() };
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

function pointerOf(open: readonly JsonFrame[]): string {
  return open.map(({ at }) => `/${pointerToken(at)}`).join('');
}
