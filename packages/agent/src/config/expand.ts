import type { JsonValue } from '@kernel/protocol';
import type { Findings } from './findings.ts';
import { isObject } from './fields.ts';

/** Replaces `${NAME}` in every string value by the variable's value; `$${NAME}` stands for the text itself. Keys are left alone. */
export function expandVariables(
  value: JsonValue,
  env: Readonly<Record<string, string | undefined>>,
  findings: Findings,
  path = '',
): JsonValue {
  if (typeof value === 'string') {
    return value.replaceAll(/\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (found, name: string) => {
      if (found.startsWith('$$')) return found.slice(1);
      const set = Object.hasOwn(env, name) ? env[name] : undefined;
      if (set === undefined) findings.fault(path, `the environment variable ${name} to be set`, undefined);
      return set ?? '';
    });
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => expandVariables(item, env, findings, `${path}[${index}]`));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      expandVariables(item, env, findings, path === '' ? key : `${path}.${key}`),
    ]),
  );
}
