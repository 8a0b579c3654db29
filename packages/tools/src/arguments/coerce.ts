import { isObject, parsePointer } from '@kernel/internal';
import { findJsonLoss, parseNumber, type ToolRepair } from '@kernel/protocol';
import type { ValidationIssue } from '../schema/check-types.ts';
import type { Validator } from '../schema/compile-schema.ts';
import { asJson } from '../unsafe-casts.ts';

/** A coerced value. */
export interface Coerced {
  /** The value, changed where that helps. */
  readonly value: unknown;
  /** The changes, in order. */
  readonly repairs: readonly ToolRepair[];
  /** What is still wrong. */
  readonly issues: readonly ValidationIssue[];
}

const MAX_ROUNDS = 8;
const MAX_ISSUES_PER_ROUND = 100;
/** How often a whole value is validated to decide whether a null can be removed. */
const MAX_NULL_CHECKS = 100;

/**
 * Coerces a near-valid value where nothing is lost: `"5"` to 5, `"true"` to true, JSON text to the object or array that it holds, a single
 * value to a list, and null to an absent optional property. Lists every change, and copies instead of changing the original.
 */
export function coerceValue(original: unknown, validator: Validator): Coerced {
  const repairs: ToolRepair[] = [];
  let value = original;
  let issues = validator.issues(value);
  let nullChecksLeft = MAX_NULL_CHECKS;
  const isRequired = (without: unknown, name: string | undefined): boolean => {
    nullChecksLeft -= 1;
    if (nullChecksLeft < 0) return true;
    return validator.issues(without).some((issue) => issue.keyword === 'required' && issue.property === name);
  };
  for (let round = 0; round < MAX_ROUNDS && issues.length > 0; round += 1) {
    const before = repairs.length;
    for (const issue of issues.slice(0, MAX_ISSUES_PER_ROUND)) {
      const step = coerceIssue(issue, value, isRequired);
      if (step === undefined) continue;
      value = step.value;
      repairs.push(step.repair);
    }
    if (repairs.length === before) break;
    issues = validator.issues(value);
  }
  return { value, repairs, issues };
}

function coerceIssue(
  issue: ValidationIssue,
  root: unknown,
  isRequired: (without: unknown, name: string | undefined) => boolean,
): { readonly value: unknown; readonly repair: ToolRepair } | undefined {
  if (issue.path === '') return undefined;
  const keys = parsePointer(issue.path);
  const received = valueAt(root, keys);
  if (received !== issue.received) return undefined; // an earlier repair of this round has changed it
  for (const { to, rule } of candidates(issue)) {
    if (issue.accepts(to)) {
      const repair = { path: issue.path, from: asJson(received), to: asJson(to), rule };
      return { value: withValueAt(root, keys, to), repair };
    }
  }
  if (received !== null) return undefined;
  const without = withValueAt(root, keys, undefined);
  if (isRequired(without, keys.at(-1))) return undefined;
  return { value: without, repair: { path: issue.path, from: null, to: null, rule: 'null-to-absent' } };
}

const MAX_NUMBER_LENGTH = 64;

/** The keywords that decide the kind of value. A value of the right kind that violates any other keyword cannot be coerced. */
const KIND_KEYWORDS = new Set(['type', 'enum', 'const', 'anyOf', 'oneOf']);

function* candidates(issue: ValidationIssue): Generator<{ readonly to: unknown; readonly rule: string }> {
  const { received } = issue;
  if (!KIND_KEYWORDS.has(issue.keyword)) return;
  if (typeof received === 'string') {
    const number = exactNumber(received);
    if (number !== undefined) yield { to: number, rule: 'string-to-number' };
    const word = received.toLowerCase();
    if (word === 'true' || word === 'false') yield { to: word === 'true', rule: 'string-to-boolean' };
    if (word === 'null') yield { to: null, rule: 'string-to-null' };
    if (looksLikeJson(received)) {
      const parsed = parseJson(received);
      // Text that starts like JSON but is not valid may have been cut off: it must not become the single item of a list.
      if (parsed === undefined) return;
      yield { to: parsed, rule: 'json-text' };
    }
  }
  if (!Array.isArray(received) && received !== null && received !== undefined)
    yield { to: [received], rule: 'value-to-list' };
}

/** The number that a text spells; integers outside ±(2^53-1) are left to tools that take text. */
function exactNumber(text: string): number | undefined {
  const number = text.length > MAX_NUMBER_LENGTH ? undefined : parseNumber(text);
  return number !== undefined && Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{|\[\s*[[{"\]\d-])/.test(text);
}

/** The value of JSON text; `undefined` if it is not valid, or if a key or digit would be lost. */
function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return findJsonLoss(text, parsed, true) === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function valueAt(root: unknown, keys: readonly string[]): unknown {
  let value = root;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** A copy with one value replaced, or removed for `undefined`. Copies only the objects on the path to it. */
function withValueAt(root: unknown, keys: readonly string[], value: unknown): unknown {
  const [first, ...rest] = keys;
  if (first === undefined) return value;
  if (Array.isArray(root))
    return root.map((item: unknown, index) => (`${index}` === first ? withValueAt(item, rest, value) : item));
  if (!isObject(root)) return root;
  const entries = Object.entries(root).map(([key, item]): [string, unknown] => [
    key,
    key === first ? withValueAt(item, rest, value) : item,
  ]);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}
