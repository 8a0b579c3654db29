import { isObject } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import { TYPES } from '../validator/assertions.ts';
import { isSchemaObject } from '../validator/schema-index.ts';

export function createShapeTest(root: JsonSchema, dates: ReadonlySet<object>) {
  function resolve(reference: string): unknown {
    if (reference === '#') return root;
    const [, name = ''] = /^#\/\$defs\/([^/]+)$/.exec(reference) ?? [];
    const defs = root['$defs'];
    const key = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(defs) && Object.hasOwn(defs, key) ? defs[key] : undefined;
  }

  /** Alternatives within alternatives would be tested again at each level. */
  let known = new WeakMap<object, WeakMap<object, boolean>>();

  function test(schema: unknown, value: unknown): boolean {
    if (!isSchemaObject(schema)) return schema !== false;
    if (typeof value !== 'object' || value === null) return compare(schema, value);
    const results = known.get(schema) ?? new WeakMap<object, boolean>();
    known.set(schema, results);
    const result = results.get(value) ?? compare(schema, value);
    results.set(value, result);
    return result;
  }

  function compare(schema: JsonSchema, value: unknown): boolean {
    if (dates.has(schema))
      return value instanceof Date || (typeof value === 'string' && parseDateTime(value) !== undefined);
    const { $ref: reference, type, enum: values, const: constant, allOf, anyOf, oneOf } = schema;
    if (typeof reference === 'string' && !test(resolve(reference), value)) return false;
    if (typeof type === 'string' && TYPES[type]?.(value) === false) return false;
    if (Array.isArray(type) && !type.some((each) => TYPES[String(each)]?.(value) === true)) return false;
    if (Array.isArray(values) && !values.includes(value)) return false;
    if ('const' in schema && constant !== value && !isObject(constant)) return false;
    if (Array.isArray(allOf) && !allOf.every((part) => test(part, value))) return false;
    if (Array.isArray(anyOf) && !anyOf.some((part) => test(part, value))) return false;
    if (Array.isArray(oneOf) && !oneOf.some((part) => test(part, value))) return false;
    if (Array.isArray(value)) return value.every((item) => test(schema['items'], item));
    return isObject(value) ? testProperties(schema, value) : true;
  }

  function testProperties(schema: JsonSchema, value: Readonly<Record<string, unknown>>): boolean {
    const { properties, required } = schema;
    if (Array.isArray(required) && !required.every((key) => Object.hasOwn(value, String(key)))) return false;
    if (!isObject(properties)) return true;
    return Object.entries(properties).every(([key, part]) => !Object.hasOwn(value, key) || test(part, value[key]));
  }

  const reset = (): void => {
    known = new WeakMap();
  };
  return { test, reset, resolve };
}

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/** RFC 3339. Undefined for a day that its month does not have, and for a fraction of a second that a `Date` would round. */
export function parseDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const [, year = '', month = '', day = '', , fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(3))) return undefined;
  const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysInMonth) return undefined;
  const date = new Date(text.toUpperCase());
  return Number.isNaN(date.getTime()) ? undefined : date;
}
