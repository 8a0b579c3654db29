import { isObject, nearest } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The keys of an options object, each once: the compiler knows when one is missing. @internal */
export type KeysOf<T> = Readonly<Record<Extract<keyof T, string>, true>>;

/** How keys are checked. @internal */
export interface CheckKeysOptions {
  /** What to write instead of a key that other libraries have, or that belongs elsewhere. */
  readonly instead?: ReadonlyMap<string, string> | undefined;
  /** The path of the object, such as `timeouts.`. Default: none. */
  readonly path?: string | undefined;
}

/**
 * Throws `CONFIG_INVALID` for a value that is not an object and for a key that it may not have: with what to write instead, the nearest
 * known key, or all of them. A key whose value is undefined is absent. Values are never part of the message: they may be secrets. @internal
 */
export function checkKeys(
  owner: string,
  value: unknown,
  known: Readonly<Record<string, true>>,
  { instead, path = '' }: CheckKeysOptions = {},
): void {
  const names = Object.keys(known);
  if (!isObject(value)) {
    const what = path === '' ? 'the options' : path.slice(0, -1);
    throw new KernelError('CONFIG_INVALID', `${owner}: ${what} must be an object, not ${describeType(value)}.`, {
      hint: `Pass an object with some of: ${names.join(', ')}.`,
    });
  }
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined || Object.hasOwn(known, key)) continue;
    const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
    const [near] = nearest(key, names, 1);
    const other = instead?.get(key) ?? (near === undefined ? undefined : `${path}${near}`);
    throw new KernelError('CONFIG_INVALID', `${owner}: the key "${path}${shown}" is unknown.`, {
      hint: `${other === undefined ? '' : `Use ${other}. `}Known: ${names.map((name) => path + name).join(', ')}.`,
    });
  }
}

/** What kind of value this is, for an error. @internal */
export function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'text' : value === undefined ? 'nothing' : `a ${typeof value}`;
}
