import { isObject } from '@kernel/internal';

/** A JSON object from outside. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object with fields; `undefined` for `null`, arrays and anything else. */
export function asFields(value: unknown): Fields | undefined {
  return isObject(value) ? value : undefined;
}
