import { isObject } from '@kernel/internal';
import type { JsonValue } from '@kernel/protocol';

/** Replaces `${NAME}` in every string value by the value of the environment variable; `$${NAME}` is the text `${NAME}`. Keys are left alone. Adds to `errors` for each that is not set. */
export function expandVariables(
  value: JsonValue,
  env: Readonly<Record<string, string | undefined>>,
  errors: string[],
  path = '',
): JsonValue {
  if (typeof value === 'string') {
    return value.replaceAll(/\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (match, name: string) => {
      if (match.startsWith('$$')) return match.slice(1);
      const variable = Object.hasOwn(env, name) ? env[name] : undefined;
      if (variable === undefined)
        errors.push(`${path || '(root)'}: expected the environment variable ${name} to be set, got nothing`);
      return variable ?? '';
    });
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, index) => expandVariables(item, env, errors, `${path}[${index}]`));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      expandVariables(item, env, errors, path === '' ? key : `${path}.${key}`),
    ]),
  );
}
