import { canonicalJson, equalJson, isObject } from '@kernel/internal';
import { type Check, reportIssue } from './checks.ts';
import { createPatternTest } from './pattern.ts';

/** Returns undefined if the keyword ignores a value of that type. */
export type Assertion = (expected: unknown) => Check | undefined;

export const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

export const TYPE_NAMES: readonly string[] = Object.keys(TYPES);

/** The keywords that have no subschemas. */
export const ASSERTIONS: ReadonlyMap<string, Assertion> = new Map<string, Assertion>([
  ['type', (expected) => typeCheck(Array.isArray(expected) ? expected : [expected])],
  ['const', (expected) => oneOfValues('const', [expected])],
  ['enum', (expected) => (Array.isArray(expected) ? oneOfValues('enum', expected) : undefined)],
  ['minimum', (limit) => numberCheck('minimum', limit, 'a number ≥', (value, bound) => value >= bound)],
  ['maximum', (limit) => numberCheck('maximum', limit, 'a number ≤', (value, bound) => value <= bound)],
  [
    'exclusiveMinimum',
    (limit) => numberCheck('exclusiveMinimum', limit, 'a number >', (value, bound) => value > bound),
  ],
  [
    'exclusiveMaximum',
    (limit) => numberCheck('exclusiveMaximum', limit, 'a number <', (value, bound) => value < bound),
  ],
  ['multipleOf', (step) => numberCheck('multipleOf', step, 'a multiple of', isMultipleOf)],
  ['minLength', (limit) => lengthCheck('minLength', limit, 'at least', (text, bound) => hasLength(text, bound))],
  ['maxLength', (limit) => lengthCheck('maxLength', limit, 'at most', (text, bound) => !hasLength(text, bound + 1))],
  ['pattern', patternCheck],
]);

function typeCheck(names: readonly unknown[]): Check | undefined {
  const types = names.filter((name) => typeof name === 'string' && Object.hasOwn(TYPES, name)).map(String);
  const tests = types.map((name) => TYPES[name]).filter((test) => test !== undefined);
  const [only] = tests;
  if (only === undefined) return undefined;
  const accepts = tests.length === 1 ? only : (value: unknown) => tests.some((test) => test(value));
  const details = { keyword: 'type', expected: types.join(' or '), types };
  return (value, path, validation) => accepts(value) || reportIssue(validation, path, value, details, accepts);
}

function oneOfValues(keyword: string, values: readonly unknown[]): Check {
  const plain = new Set(values.filter((value) => typeof value !== 'object' || value === null));
  const structured = new Set(values.filter((value) => !plain.has(value)).map((value) => canonicalJson(value)));
  const accepts = (value: unknown): boolean =>
    plain.has(value) ||
    (structured.size > 0 && typeof value === 'object' && value !== null && structured.has(canonicalJson(value)));
  const only = values.length === 1 ? values[0] : undefined;
  const test = keyword === 'const' ? (value: unknown) => equalJson(value, only) : accepts;
  const details = { keyword, expected: 'one of the allowed values', allowed: values };
  return (value, path, validation) => test(value) || reportIssue(validation, path, value, details, test);
}

function numberCheck(
  keyword: string,
  limit: unknown,
  words: string,
  holds: (value: number, bound: number) => boolean,
): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  const accepts = (value: unknown): boolean => typeof value !== 'number' || holds(value, limit);
  const details = { keyword, expected: `${words} ${limit}` };
  return (value, path, validation) =>
    typeof value !== 'number' || holds(value, limit) || reportIssue(validation, path, value, details, accepts);
}

function lengthCheck(
  keyword: string,
  limit: unknown,
  words: string,
  holds: (text: string, bound: number) => boolean,
): Check | undefined {
  if (typeof limit !== 'number') return undefined;
  const accepts = (value: unknown): boolean => typeof value !== 'string' || holds(value, limit);
  const details = { keyword, expected: `${words} ${limit} character${limit === 1 ? '' : 's'}` };
  return (value, path, validation) =>
    typeof value !== 'string' || holds(value, limit) || reportIssue(validation, path, value, details, accepts);
}

function patternCheck(source: unknown): Check | undefined {
  if (typeof source !== 'string') return undefined;
  const matches = createPatternTest(source);
  const accepts = (value: unknown): boolean => typeof value !== 'string' || matches(value);
  const details = {
    keyword: 'pattern',
    expected: `text that matches ${source.length > 60 ? 'the pattern' : `/${source}/`}`,
  };
  return (value, path, validation) =>
    typeof value !== 'string' || matches(value) || reportIssue(validation, path, value, details, accepts);
}

/** Counts code points, not UTF-16 code units. */
function hasLength(text: string, min: number): boolean {
  if (text.length < min) return false;
  if (text.length >= min * 2) return true;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count >= min) return true;
  }
  return count >= min;
}

/** Uses exact decimal arithmetic: 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, step: number): boolean {
  if (step <= 0) return false;
  if (Number.isInteger(value) && Number.isInteger(step)) return value % step === 0;
  if (!Number.isFinite(value)) return false;
  const a = toDecimal(value);
  const b = toDecimal(step);
  const scale = a.exponent < b.exponent ? a.exponent : b.exponent;
  return (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n;
}

function toDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', power = '0'] = value.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}
