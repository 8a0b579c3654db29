import { KernelError } from '@kernel/protocol';

/** Returns a number of an option bag, or its default; throws `CONFIG_INVALID` for one under `least` or none at all. @internal */
export function numberOption(
  policy: string,
  name: string,
  value: number | undefined,
  fallback: number,
  least: number,
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && value >= least && value < Infinity) return value;
  throw new KernelError('CONFIG_INVALID', `${policy}: ${name} is ${String(value)}.`, {
    hint: `Give a number from ${least}, or leave it out.`,
  });
}
