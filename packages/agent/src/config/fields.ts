import { isObject } from '@kernel/internal';
import type { JsonObject, JsonValue } from '@kernel/protocol';
import { parseDuration } from './duration.ts';
import { nearPath } from './near-path.ts';
import type { Problems } from './problems.ts';

/** Reads the fields of one object of a config by type. An absent field reads as undefined; so does one of the wrong type, which is an error. */
export interface Fields {
  /** The path of the object in the config. */
  readonly path: string;
  /** Whether the object has a field. */
  has(key: string): boolean;
  /** Any text, the empty one included. */
  text(key: string): string | undefined;
  /** One of some texts. */
  choice<T extends string>(key: string, choices: readonly T[]): T | undefined;
  /** A number of at least `minimum`, without a fraction if `isInteger`. */
  number(key: string, minimum: number, isInteger: boolean): number | undefined;
  /** True or false. */
  boolean(key: string): boolean | undefined;
  /** A duration, in milliseconds. */
  durationMs(key: string): number | undefined;
  /** A nested object as it is. */
  object(key: string): JsonObject | undefined;
  /** The fields of a nested object, or of an empty one if it is absent. */
  fields(key: string): Fields;
  /** Returns the fields that were never read; with `warn`, also warns of each and suggests the nearest known key. */
  rest(onUnknown: 'warn' | 'keep'): JsonObject;
}

/** Starts to read an object. Only its own properties count. */
export function readFields(source: JsonObject, path: string, problems: Problems): Fields {
  const known = new Set<string>();
  const pathOf = (key: string) => (path === '' ? key : `${path}.${key}`);
  const read = <T>(key: string, expected: string, convert: (value: JsonValue) => T | undefined): T | undefined => {
    known.add(key);
    const value = Object.hasOwn(source, key) ? source[key] : undefined;
    if (value === undefined) return undefined;
    const result = convert(value);
    if (result === undefined) problems.error(pathOf(key), expected, value);
    return result;
  };
  const fields: Fields = {
    path,
    has: (key) => Object.hasOwn(source, key),
    text: (key) => read(key, 'text', (value) => (typeof value === 'string' ? value : undefined)),
    choice: (key, choices) =>
      read(key, `one of ${choices.join(', ')}`, (value) => choices.find((choice) => choice === value)),
    number: (key, minimum, isInteger) =>
      read(key, `${isInteger ? 'a whole number' : 'a number'} of at least ${minimum}`, (value) =>
        typeof value === 'number' && value >= minimum && (!isInteger || Number.isSafeInteger(value))
          ? value
          : undefined,
      ),
    boolean: (key) => read(key, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    durationMs: (key) => read(key, 'a duration such as "24s", "1m30s" or "500ms", or whole nanoseconds', parseDuration),
    object: (key) => read(key, 'an object', (value) => (isJsonObject(value) ? value : undefined)),
    fields: (key) => readFields(fields.object(key) ?? {}, pathOf(key), problems),
    rest(onUnknown) {
      const unknown = Object.entries(source).filter(([key]) => !known.has(key));
      if (onUnknown === 'warn') {
        for (const [key] of unknown) {
          const suggestion = nearPath(key, path, known);
          const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`;
          problems.warn(pathOf(key), `unknown key, ignored.${hint}`);
        }
      }
      return Object.fromEntries(unknown);
    },
  };
  return fields;
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
