import { nearest } from '@kernel/internal';
import type * as z from 'zod';
import { usageError } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';

const MAX_SHOWN = 10;

/**
 * Parses a value with a zod schema. Throws a usage error that names the file, each path in it and the key that was probably meant; no value of the
 * file is shown. One mistake is one line; of several, each has its own.
 */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown, file: string): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const mistakes = result.error.issues.map(({ path, message }) => {
    const at = pathText(path);
    if (at === '') return message;
    return message.startsWith('there is') ? `"${at}": ${message}` : `"${at}" ${message}`;
  });
  const [first = ''] = mistakes;
  if (mistakes.length === 1) throw usageError(`${file}: ${first}${first.endsWith('?') ? '' : '.'}`);
  const shown = mistakes.slice(0, MAX_SHOWN);
  const more = mistakes.length > MAX_SHOWN ? ['…'] : [];
  throw usageError(`${file} has ${mistakes.length} mistakes:\n  ${[...shown, ...more].join('\n  ')}`);
}

function describeIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return describeKeys(issue.keys, issue.inst);
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${nameOf(issue.expected)}, not ${kindOf(issue.input)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    default:
      return undefined;
  }
}

function describeKeys(keys: readonly string[], schema: unknown): string {
  return keys
    .slice(0, MAX_SHOWN)
    .map((key) => {
      const [near] = nearest(key, keysOf(schema), 1);
      return `there is no key "${oneLine(key, 80)}"${near === undefined ? '' : `; did you mean "${near}"?`}`;
    })
    .join(', ');
}

function keysOf(schema: unknown): readonly string[] {
  return typeof schema === 'object' && schema !== null && 'shape' in schema && typeof schema.shape === 'object'
    ? Object.keys(schema.shape ?? {})
    : [];
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['array', 'an array'],
  ['object', 'an object'],
  ['record', 'an object'],
  ['int', 'a whole number'],
]);

function nameOf(expected: string): string {
  return NAMES.get(expected) ?? `a ${expected}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'text' : `a ${typeof value}`;
}

/** The path as JavaScript writes it: `rules[0].allow`. Keys of the file are escaped. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${oneLine(String(part), 80)}`,
    )
    .join('');
}
