import { nearest } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The error for an option of the wrong type or value. `subject` is whose option it is, such as `Tool "x"`. */
export function invalidOption(subject: string, option: string, expected: string, value: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', `${subject}: ${option} must be ${expected}, not ${describe(value)}.`);
}

/** The keys that an options object can have, and names that people bring from other libraries, with what to use here. */
export interface KnownKeys {
  /** The keys. */
  readonly known: ReadonlySet<string>;
  /** What to use in place of a name of another library. */
  readonly foreign: ReadonlyMap<string, string>;
}

/** Creates the keys for `checkKeys`. */
export function knownKeys(keys: readonly string[], foreign: Readonly<Record<string, string>> = {}): KnownKeys {
  return { known: new Set(keys), foreign: new Map(Object.entries(foreign)) };
}

/** Throws `CONFIG_INVALID` for options that are not an object, or that have a key which nothing reads. A key that is `undefined` is ignored. */
export function checkKeys(subject: string, options: object, keys: KnownKeys): void {
  const error = unknownKeyError(subject, options, keys);
  if (error !== undefined) throw error;
}

/** Like `checkKeys`, but returns the error. Allocates nothing if there is none. */
export function unknownKeyError(subject: string, options: object, keys: KnownKeys): KernelError | undefined {
  const unchecked: unknown = options;
  if (typeof unchecked !== 'object' || unchecked === null || Array.isArray(unchecked)) {
    const shown = Array.isArray(unchecked) ? 'a list' : describe(unchecked);
    return new KernelError('CONFIG_INVALID', `${subject}: the options must be an object, not ${shown}.`, {
      hint: `Pass an object with any of ${listOf(keys)}.`,
    });
  }
  for (const key in unchecked) {
    if (!keys.known.has(key) && Reflect.get(unchecked, key) !== undefined) return unknownKey(subject, key, keys);
  }
  return undefined;
}

function unknownKey(subject: string, key: string, keys: KnownKeys): KernelError {
  const shown = key.slice(0, 60);
  const use = keys.foreign.get(key);
  const near = nearest(key, keys.known, 1)[0];
  const hint = use ?? (near === undefined ? `The options are ${listOf(keys)}.` : `Did you mean "${near}"?`);
  return new KernelError('CONFIG_INVALID', `${subject}: there is no option "${shown}".`, {
    hint,
    data: { option: shown, ...(near === undefined ? {} : { near }) },
  });
}

function listOf({ known }: KnownKeys): string {
  return [...known].join(', ');
}

/** Throws `CONFIG_INVALID` for anything but `undefined` or a number of at least `min`. */
export function checkNumber(subject: string, option: string, value: unknown, min: number): void {
  if (value === undefined || (typeof value === 'number' && value >= min)) return;
  throw invalidOption(subject, option, `a number of at least ${min}`, value);
}

/** Throws `CONFIG_INVALID` for anything but `undefined` or one of the choices. */
export function checkChoice(subject: string, option: string, value: unknown, choices: readonly string[]): void {
  if (value === undefined || choices.some((choice) => choice === value)) return;
  throw invalidOption(subject, option, `one of ${choices.map((choice) => `"${choice}"`).join(', ')}`, value);
}

/** Throws `CONFIG_INVALID` for anything but `undefined` or a function, by option. */
export function checkFunctions(subject: string, options: Readonly<Record<string, unknown>>): void {
  for (const [option, value] of Object.entries(options)) {
    if (value !== undefined && typeof value !== 'function') throw invalidOption(subject, option, 'a function', value);
  }
}

/** A value as an error shows it. */
export function describe(value: unknown): string {
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`;
  return value === null ? 'null' : typeof value;
}
