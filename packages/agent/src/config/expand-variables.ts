import type { JsonValue } from '@kernel/protocol';
import { isJsonObject } from './fields.ts';
import type { Problems } from './problems.ts';

/** Replaces `${NAME}` in every string value by the value of the environment variable; `$${NAME}` is the text `${NAME}`. Keys are left alone. */
export function expandVariables(
  value: JsonValue,
  env: Readonly<Record<string, string | undefined>>,
  problems: Problems,
  path = '',
): JsonValue {
  if (typeof value === 'string') {
    return value.replaceAll(/\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (match, name: string) => {
      if (match.startsWith('$$')) return match.slice(1);
      const variable = Object.hasOwn(env, name) ? env[name] : undefined;
      if (variable === undefined) problems.error(path, `the environment variable ${name} to be set`, undefined);
      return variable ?? '';
    });
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => expandVariables(item, env, problems, `${path}[${index}]`));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      expandVariables(item, env, problems, path === '' ? key : `${path}.${key}`),
    ]),
  );
}
