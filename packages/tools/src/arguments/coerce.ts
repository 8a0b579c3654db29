import type { ToolRepair } from '@kernel/protocol';
import { asJson } from '../unsafe-casts.ts';
import { type Fault, isObject } from '../schema/check.ts';
import type { Validator } from '../schema/compile-schema.ts';

/** What mending made of a value. */
export interface Repaired {
  readonly value: unknown;
  readonly repairs: readonly ToolRepair[];
  /** What is still wrong. */
  readonly faults: readonly Fault[];
}

const ROUNDS = 8;
const MOST = 100;
/** How often a whole value is checked to see whether a null may go. */
const LOOKS = 100;

/**
 * Mends near-valid values where nothing is lost: `"5"` for 5, `"true"`, JSON text of an object or array, a single value for a
 * list, null for an absent optional. Each step is listed. The given value is not changed.
 */
export function repairValue(given: unknown, validator: Validator): Repaired {
  const repairs: ToolRepair[] = [];
  let value = given;
  let faults = validator.faults(value);
  let looks = LOOKS;
  const isNeeded = (without: unknown, name: string | undefined): boolean => {
    looks -= 1;
    return (
      looks < 0 || validator.faults(without).some((found) => found.keyword === 'required' && found.property === name)
    );
  };
  for (let round = 0; round < ROUNDS && faults.length > 0; round += 1) {
    const before = repairs.length;
    for (const fault of faults.slice(0, MOST)) {
      const step = mend(fault, value, isNeeded);
      if (step === undefined) continue;
      value = step.value;
      repairs.push(step.repair);
    }
    if (repairs.length === before) break;
    faults = validator.faults(value);
  }
  return { value, repairs, faults };
}

function mend(
  fault: Fault,
  root: unknown,
  isNeeded: (without: unknown, name: string | undefined) => boolean,
): { readonly value: unknown; readonly repair: ToolRepair } | undefined {
  if (fault.path === '') return undefined;
  const tokens = tokensOf(fault.path);
  const received = read(root, tokens);
  if (received !== fault.received) return undefined; // an earlier step of this round has changed it
  for (const { to, rule } of candidates(fault)) {
    if (fault.accepts(to))
      return {
        value: write(root, tokens, to),
        repair: { path: fault.path, from: asJson(received), to: asJson(to), rule },
      };
  }
  if (received !== null) return undefined;
  const without = write(root, tokens, undefined);
  return isNeeded(without, tokens.at(-1))
    ? undefined
    : { value: without, repair: { path: fault.path, from: null, to: null, rule: 'null-to-absent' } };
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The keywords that say what kind of value is wanted; a value of the right kind that breaks another rule can't be mended. */
const KINDS = new Set(['type', 'enum', 'const', 'anyOf', 'oneOf']);

function* candidates(fault: Fault): Generator<{ readonly to: unknown; readonly rule: string }> {
  const { received } = fault;
  if (!KINDS.has(fault.keyword)) return;
  if (typeof received === 'string') {
    const number = exactNumber(received);
    if (number !== undefined) yield { to: number, rule: 'string-to-number' };
    const word = received.toLowerCase();
    if (word === 'true' || word === 'false') yield { to: word === 'true', rule: 'string-to-boolean' };
    if (word === 'null') yield { to: null, rule: 'string-to-null' };
    if (looksLikeJson(received)) {
      const structure = structureIn(received);
      // Text that begins like JSON and is none may have been cut: it is nobody's single value.
      if (structure === undefined) return;
      yield { to: structure, rule: 'json-text' };
    }
  }
  if (!Array.isArray(received) && received !== null && received !== undefined)
    yield { to: [received], rule: 'value-to-list' };
}

/** The number that a text spells, where no digit is lost. */
function exactNumber(text: string): number | undefined {
  if (!NUMBER.test(text) || text.length > 24) return undefined;
  const number = Number(text);
  const digits = text
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '');
  const exact = Number.isInteger(number) ? Number.isSafeInteger(number) : digits.length <= 15;
  return Number.isFinite(number) && exact ? number : undefined;
}

function looksLikeJson(text: string): boolean {
  return /^\s*(?:\{|\[\s*[[{"\]\d-])/.test(text);
}

function structureIn(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return parsed;
  } catch {
    return undefined;
  }
}

function tokensOf(path: string): readonly string[] {
  return path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(value: unknown, tokens: readonly string[]): unknown {
  let at = value;
  for (const token of tokens) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, token)) return undefined;
    at = Reflect.get(at, token);
  }
  return at;
}

/** A copy with one place changed, or taken out for `undefined`. Only the way to the place is copied. */
function write(value: unknown, tokens: readonly string[], item: unknown): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return item;
  if (Array.isArray(value))
    return value.map((entry: unknown, index) => (`${index}` === token ? write(entry, rest, item) : entry));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => [
    key,
    key === token ? write(entry, rest, item) : entry,
  ]);
  return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined));
}
