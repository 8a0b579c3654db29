import { KernelError } from '@kernel/protocol';

/** Returns a numeric option or its default. Throws `CONFIG_INVALID` for a value that is not a finite number from `min`. @internal */
export function numberOption(
  policy: string,
  name: string,
  value: number | undefined,
  fallback: number,
  min: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= min && value < Infinity) return value;
  throw new KernelError('CONFIG_INVALID', `${policy}: ${name} is ${String(value)}.`, {
    hint: `Use a number from ${min}, or leave it out.`,
  });
}
