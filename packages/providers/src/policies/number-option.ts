import { KernelError } from '@kernel/protocol';

/** Returns a numeric option or its default. `Infinity` is off, or as long as it can be. Throws `CONFIG_INVALID` for a value that is not a number from `min`. @internal */
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
