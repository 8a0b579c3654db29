import { sliceHead } from '@kernel/internal';
import { KernelError } from './error.ts';
import { describeType } from './option-keys.ts';

/** The error for an option of the wrong type or value. `subject` is whose option it is, such as `Tool "x"`. */
export function invalidOption(subject: string, option: string, expected: string, value: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', `${subject}: ${option} must be ${expected}, not ${describeValue(value)}.`);
}

/** Throws `CONFIG_INVALID` for anything but `undefined` or a number of at least `min`; NaN is rejected. */
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

/** A value as an error shows it: a number or a short text as it is, otherwise its type. Not for secrets. */
export function describeValue(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (typeof value === 'string') return `"${sliceHead(value, 40)}"`;
  return describeType(value);
}
