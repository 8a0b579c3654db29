import { KernelError } from '@kernel/protocol';

/** `Infinity` turns a limit off. */
export function numberOption(
  policy: string,
  name: string,
  value: number | undefined,
  fallback: number,
  min: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= min) return value;
  throw new KernelError('CONFIG_INVALID', `${policy}: ${name} is ${String(value)}.`, {
    hint: `Use a number from ${min}, Infinity for no limit, or leave it out.`,
  });
}
