import { isObject } from '@kernel/internal';
import type { JsonSchema } from '@kernel/protocol';
import type { StandardIssue } from '../standard-schema.ts';
import { isSchemaObject } from '../validator/schema-index.ts';
import { createShapeTest, parseDateTime } from './shape-test.ts';

/** How many subschemas are applied to one value at most: parts of parts are read again at each level. */
const MAX_STEPS = 1_000_000;
const EXPECTED = 'expected a date and time with its offset, such as "2026-11-25T09:30:00Z"';

/** `dates` are subschemas of `root`. */
export function createDateReader(root: JsonSchema, dates: ReadonlySet<object>) {
  const holding = findHolders(root, dates);
  const fits = createShapeTest(root, dates);
  let steps = 0;

  function read(schema: unknown, value: unknown, path: readonly PropertyKey[], issues: StandardIssue[]): unknown {
    if (!isSchemaObject(schema) || !holding.has(schema)) return value;
    steps += 1;
    if (steps > MAX_STEPS) throw new RangeError('The value takes too long to read.');
    if (dates.has(schema)) {
      if (value instanceof Date) return value;
      const date = typeof value === 'string' ? parseDateTime(value) : undefined;
      if (date === undefined) issues.push({ message: EXPECTED, path });
      return date ?? value;
    }
    let result = value;
    if (typeof schema['$ref'] === 'string') result = read(fits.resolve(schema['$ref']), result, path, issues);
    for (const part of listOf(schema['allOf'])) result = read(part, result, path, issues);
    for (const keyword of ['anyOf', 'oneOf']) {
      const branch = listOf(schema[keyword]).find((each) => fits.test(each, result));
      if (branch !== undefined) result = read(branch, result, path, issues);
    }
    if (Array.isArray(result)) return readItems(schema, result, path, issues);
    return isObject(result) ? readProperties(schema, result, path, issues) : result;
  }

  function readItems(
    schema: JsonSchema,
    items: readonly unknown[],
    path: readonly PropertyKey[],
    issues: StandardIssue[],
  ): readonly unknown[] {
    const first = listOf(schema['prefixItems']);
    const result = items.map((item, at) => {
      const own = at < first.length ? first[at] : schema['items'];
      return read(own, item, [...path, at], issues);
    });
    return result.some((item, at) => item !== items[at]) ? result : items;
  }

  function readProperties(
    schema: JsonSchema,
    value: Readonly<Record<string, unknown>>,
    path: readonly PropertyKey[],
    issues: StandardIssue[],
  ): object {
    const properties = isObject(schema['properties']) ? schema['properties'] : {};
    const entries = Object.entries(value).map(([key, member]): [string, unknown] => {
      const own = Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
      return [key, read(own, member, [...path, key], issues)];
    });
    return entries.some(([key, member]) => member !== value[key]) ? Object.fromEntries(entries) : value;
  }

  return (value: unknown) => {
    const issues: StandardIssue[] = [];
    steps = 0;
    fits.reset();
    return { value: read(root, value, [], issues), issues };
  };
}

function findHolders(root: JsonSchema, dates: ReadonlySet<object>): ReadonlySet<object> {
  const holding = new Set<object>(dates);
  const visit = (node: unknown): boolean => {
    if (Array.isArray(node)) return node.map(visit).includes(true);
    if (!isObject(node)) return false;
    // What is referred to may hold a date.
    const found = Object.values(node).map(visit).includes(true) || typeof node['$ref'] === 'string';
    if (found) holding.add(node);
    return found || holding.has(node);
  };
  visit(root);
  return holding;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
