import { parsePointer, pointerToken } from '@kernel/internal';
import { findJsonLoss, type JsonValue, parseNumber, type ToolRepair } from '@kernel/protocol';
import type { ValidationIssue } from '../validator/checks.ts';
import type { Validator } from '../validator/compile-schema.ts';
import { type CopyOnWrite, createCopyOnWrite } from './copy-on-write.ts';

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
/** A value with more issues, besides nulls, is left as it is: the rounds would not be enough, and each of them reads the whole value. */
const MAX_ISSUES = 2 * MAX_ROUNDS * MAX_ISSUES_PER_ROUND;

/**
 * Coerces a near-valid value where nothing is lost: `"5"` to 5, `"true"` to true, JSON text to the object or array that it holds, a single
 * value to a list, and null to an absent optional property. Lists every change, and copies instead of changing the original: each object
 * on the path to a change once, so that many changes take linear time.
 *
 * @example
 * ```ts
 * import { coerceValue, compileSchema } from '@kernel/schema';
 *
 * const validator = compileSchema({ type: 'object', properties: { days: { type: 'integer' } } });
 * const { value, repairs } = coerceValue({ days: '3' }, validator); // { days: 3 }, string-to-number
 * ```
 */
export function coerceValue(original: unknown, validator: Validator): Coerced {
  const repairs: ToolRepair[] = [];
  const copy = createCopyOnWrite(original);
  let issues = validator.issues(original);
  for (let round = 0; round < MAX_ROUNDS && issues.length > 0; round += 1) {
    const others = issues.filter((issue) => issue.received !== null);
    if (others.length > MAX_ISSUES) break;
    const before = repairs.length;
    for (const issue of others.slice(0, MAX_ISSUES_PER_ROUND)) {
      if (issue.path === '') continue;
      const keys = parsePointer(issue.path);
      const received = copy.get(keys);
      if (received !== issue.received) continue; // an earlier repair of this round has changed it
      const repair = coerceIssue(issue, received);
      if (repair === undefined) continue;
      copy.set(keys, repair.to);
      repairs.push({ path: issue.path, from: asJson(received), to: asJson(repair.to), rule: repair.rule });
    }
    for (const path of removeOptional(nullsOf(issues, copy), copy, validator))
      repairs.push({ path, from: null, to: null, rule: 'null-to-absent' });
    if (repairs.length === before) break;
    issues = validator.issues(copy.value());
  }
  return { value: copy.value(), repairs, issues };
}

function coerceIssue(
  issue: ValidationIssue,
  received: unknown,
): { readonly to: unknown; readonly rule: string } | undefined {
  for (const candidate of candidates({ ...issue, received })) if (issue.accepts(candidate.to)) return candidate;
  return undefined;
}

/** A strict mode may have put thousands of nulls, which one round removes. */
function nullsOf(issues: readonly ValidationIssue[], copy: CopyOnWrite): ReadonlyMap<string, readonly string[]> {
  const nulls = new Map<string, readonly string[]>();
  for (const { path, received } of issues) {
    if (received !== null || path === '' || nulls.has(path)) continue;
    const keys = parsePointer(path);
    if (copy.get(keys) === null && !Array.isArray(copy.get(keys.slice(0, -1)))) nulls.set(path, keys);
  }
  return nulls;
}

/** Removes the nulls of optional properties and returns their paths. One validation without any of them tells which are required. */
function removeOptional(
  nulls: ReadonlyMap<string, readonly string[]>,
  copy: CopyOnWrite,
  validator: Validator,
): readonly string[] {
  if (nulls.size === 0) return [];
  const without = createCopyOnWrite(copy.value());
  for (const keys of nulls.values()) without.remove(keys);
  const required = new Set<string>();
  for (const { keyword, path, property } of validator.issues(without.value()))
    if (keyword === 'required' && property !== undefined) required.add(`${path}/${pointerToken(property)}`);
  const optional = [...nulls].filter(([path]) => !required.has(path));
  for (const [, keys] of optional) copy.remove(keys);
  return optional.map(([path]) => path);
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

/** Integers outside ±(2^53-1) are left to tools that take text. */
function exactNumber(text: string): number | undefined {
  const number = text.length > MAX_NUMBER_LENGTH ? undefined : parseNumber(text);
  return number !== undefined && Number.isInteger(number) && !Number.isSafeInteger(number) ? undefined : number;
}

function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{|\[\s*[[{"\]\d-])/.test(text);
}

/** Returns undefined if the text is not valid JSON, or if a key or a digit would be lost. */
function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return findJsonLoss(text, parsed, true) === undefined ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function asJson(parsed: unknown): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
  return parsed as JsonValue;
}
