import { KernelError } from '@kernel/protocol';

/** How large a response may be. */
export interface ResponseLimits {
  /** Bytes of one response, after decompression. Default 32 MiB. */
  readonly responseBytes?: number | undefined;
  /** UTF-16 units of one line of a stream, or bytes of one frame of a binary one. Default 8 MiB. */
  readonly lineLength?: number | undefined;
}

/** Limits with every field set. */
export type LimitSettings = { readonly [K in keyof ResponseLimits]-?: number };

const MIB = 1024 * 1024;

/** The limits where none are given. */
export const DEFAULT_LIMITS: LimitSettings = { responseBytes: 32 * MIB, lineLength: 8 * MIB };

/** Fills in the defaults; throws `CONFIG_INVALID` naming a limit that is no whole number from 1, nor Infinity. */
export function resolveLimits(limits: ResponseLimits = {}): LimitSettings {
  const set = { ...DEFAULT_LIMITS };
  for (const limit of ['responseBytes', 'lineLength'] as const) {
    const value = limits[limit];
    if (value === undefined) continue;
    if (value !== Infinity && !(Number.isInteger(value) && value >= 1)) {
      throw new KernelError('CONFIG_INVALID', `limits.${limit} is ${String(value)}.`, {
        hint: 'Give a whole number from 1, or Infinity for none.',
      });
    }
    set[limit] = value;
  }
  return set;
}

/** The error of a reply that is larger than a limit: says what, the limit and the option that sets it. */
export function limitError(limit: keyof ResponseLimits, what: string, value: number, hint: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `${what} (limits.${limit}: ${value}).`, {
    hint,
    data: { limit: value, option: `limits.${limit}` },
  });
}
