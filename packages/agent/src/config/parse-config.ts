import { KernelError } from '@kernel/protocol';
import type * as z from 'zod';
import { nearPath } from './near-path.ts';
import type { ParsedConfig } from './types.ts';

/**
 * Parses a config with its schema. Unknown keys become warnings, and are removed from `json`; of other issues all are thrown at once, as `CONFIG_INVALID`.
 * `errors` are those that are known already.
 */
export function parseConfig(
  schema: z.ZodType<ParsedConfig['config']>,
  json: object,
  file: string,
  errors: readonly string[],
): ParsedConfig {
  const known = new Map<string, readonly string[]>();
  const first = schema.safeParse(json, {
    error(issue) {
      if (issue.code === 'unrecognized_keys') known.set(pathText(issue.path ?? []), keysOf(issue.inst));
      return undefined;
    },
  });
  if (first.success && errors.length === 0) return { config: first.data, warnings: [] };
  const warnings = (first.error?.issues ?? []).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [];
    const path = pathText(issue.path);
    removeKeys(json, issue.path, issue.keys);
    return issue.keys.map((key) => `${file}: ${join(path, key)}: ${warningOf(key, path, known.get(path) ?? [])}`);
  });
  const second = schema.safeParse(json);
  const all = [...errors, ...(second.error?.issues ?? []).map(errorText)];
  if (second.success && all.length === 0) return { config: second.data, warnings };
  throw configErrors(file, [...new Set(all)]);
}

export function configErrors(file: string, errors: readonly string[]): KernelError {
  const [first = ''] = errors;
  return new KernelError(
    'CONFIG_INVALID',
    errors.length === 1 ? `${file}: ${first}.` : `${file} has ${errors.length} errors:\n  ${errors.join('\n  ')}`,
    { hint: 'Correct the file, or use another one.', data: { file, errors } },
  );
}

function errorText({ message, path }: z.core.$ZodIssue): string {
  const at = pathText(path) || '(root)';
  return message.startsWith('expected ') ? `${at}: ${message}` : `${at} ${message}`;
}

function warningOf(key: string, path: string, known: readonly string[]): string {
  const near = nearPath(key, path, known);
  return `unknown key, ignored.${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

function removeKeys(json: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const owner = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    json,
  );
  if (typeof owner === 'object' && owner !== null) for (const key of keys) Reflect.deleteProperty(owner, key);
}

function keysOf(schema: unknown): readonly string[] {
  return typeof schema === 'object' && schema !== null && 'shape' in schema ? Object.keys(schema.shape ?? {}) : [];
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
