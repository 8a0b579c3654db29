import { nearest, truncate } from '@kernel/internal';
import { KernelError } from './error.ts';

/** All keys of an options type, each once; the compiler reports one that is missing. */
export type KeysOf<T> = Readonly<Record<Extract<keyof T, string>, true>>;

/** Creates the keys for `checkKeys`. Call it once per options type, at module scope. */
export function optionKeys<T extends object>(keys: KeysOf<T>): ReadonlySet<string> {
  return new Set(Object.keys(keys));
}

/**
 * Throws `CONFIG_INVALID` for options that are not an object, and for an unknown key: the hint names the nearest key or all keys. `owner` is what takes the options, such as `run`; `path` leads to a nested object, such as `limits.`.
 *
 * A key whose value is undefined is absent. Values are never shown: they may be secrets. Inherited keys count, as they do where options are read.
 */
export function checkKeys(owner: string, options: unknown, keys: ReadonlySet<string>, path = ''): void {
  const error = unknownKeyError(owner, options, keys, path);
  if (error !== undefined) throw error;
}

/** Like `checkKeys`, but returns the error. */
export function unknownKeyError(
  owner: string,
  options: unknown,
  keys: ReadonlySet<string>,
  path = '',
): KernelError | undefined {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const what = path === '' ? 'the options' : path.slice(0, -1);
    return new KernelError('CONFIG_INVALID', `${owner}: ${what} must be an object, not ${describeType(options)}.`, {
      hint: `Pass an object with any of ${[...keys].join(', ')}.`,
    });
  }
  for (const key in options) {
    if (!keys.has(key) && Reflect.get(options, key) !== undefined) return unknownKey(owner, key, keys, path);
  }
  return undefined;
}

function unknownKey(owner: string, key: string, known: ReadonlySet<string>, path: string): KernelError {
  const shown = path + truncate(key, 61);
  const [near] = nearest(key, known, 1);
  const all = `The options are ${[...known].map((name) => path + name).join(', ')}.`;
  return new KernelError('CONFIG_INVALID', `${owner}: there is no option "${shown}".`, {
    hint: near === undefined ? all : `Did you mean "${path}${near}"?`,
    data: { option: shown, ...(near === undefined ? {} : { near: path + near }) },
  });
}

/** What kind of value this is, for an error message that must not show it: `an array`, `null`, `a string`. */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return value === undefined ? 'nothing' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
