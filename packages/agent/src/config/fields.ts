import type { JsonObject, JsonValue } from '@kernel/protocol';
import { parseDuration } from './duration.ts';
import type { Findings } from './findings.ts';
import { nearest } from './nearest.ts';

/** Reads the fields of one object of a config by type. An absent field gives nothing; a wrong one is noted and gives nothing. */
export interface Fields {
  text(key: string): string | undefined;
  choice<T extends string>(key: string, choices: readonly T[]): T | undefined;
  /** A number of at least `least`; `whole` wants an integer. */
  number(key: string, least: number, whole: boolean): number | undefined;
  flag(key: string): boolean | undefined;
  durationMs(key: string): number | undefined;
  object(key: string): JsonObject | undefined;
  /** The fields of an object inside; those of an empty one where it is absent. */
  fields(key: string): Fields;
  readonly path: string;
  has(key: string): boolean;
  /** Notes keys that were never asked for, with the nearest known one; returns them. */
  rest(onUnknown: 'warn' | 'keep'): JsonObject;
}

/** Starts to read an object. Keys are own properties only. */
export function readFields(source: JsonObject, path: string, findings: Findings): Fields {
  const asked = new Set<string>();
  const at = (key: string) => (path === '' ? key : `${path}.${key}`);
  const take = <T>(key: string, expected: string, read: (value: JsonValue) => T | undefined): T | undefined => {
    asked.add(key);
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    if (value === undefined) return undefined;
    const result = read(value);
    if (result === undefined) findings.fault(at(key), expected, value);
    return result;
  };
  const fields: Fields = {
    path,
    has: (key) => Object.hasOwn(source, key),
    text: (key) => take(key, 'text', (value) => (typeof value === 'string' ? value : undefined)),
    choice: (key, choices) =>
      take(key, `one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value)),
    number: (key, least, whole) =>
      take(key, `${whole ? 'a whole number' : 'a number'} of at least ${least}`, (value) =>
        typeof value === 'number' && value >= least && (!whole || Number.isSafeInteger(value)) ? value : undefined,
      ),
    flag: (key) => take(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    durationMs: (key) => take(key, 'a duration such as "24s", "1m30s" or "500ms", or whole nanoseconds', parseDuration),
    object: (key) => take(key, 'an object', (value) => (isObject(value) ? value : undefined)),
    fields: (key) => readFields(fields.object(key) ?? {}, at(key), findings),
    rest(onUnknown) {
      const unknown = Object.entries(source).filter(([key]) => !asked.has(key));
      if (onUnknown === 'warn') {
        for (const [key] of unknown) {
          const near = nearest(key, asked);
          findings.warn(at(key), `unknown key, ignored.${near === undefined ? '' : ` Did you mean "${near}"?`}`);
        }
      }
      return Object.fromEntries(unknown);
    },
  };
  return fields;
}

/** Says whether a JSON value is an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
