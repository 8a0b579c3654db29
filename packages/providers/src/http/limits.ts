import { KernelError } from '@kernel/protocol';

/** How large a response may be. `Infinity` turns a limit off. */
export interface ResponseLimits {
  /** Bytes of one response, after decompression. Default 32 MiB. */
  readonly responseBytes?: number | undefined;
  /** UTF-16 code units of one line of a stream, or bytes of one frame of a binary one. Default 8 MiB. */
  readonly lineLength?: number | undefined;
}

export type ResolvedLimits = { readonly [K in keyof ResponseLimits]-?: number };

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: ResolvedLimits = { responseBytes: 32 * MIB, lineLength: 8 * MIB };

export function resolveLimits(limits: ResponseLimits = {}): ResolvedLimits {
  const resolved = { ...DEFAULT_LIMITS };
  for (const name of ['responseBytes', 'lineLength'] as const) {
    const value = limits[name];
    if (value === undefined) continue;
    if (value !== Infinity && !(Number.isInteger(value) && value >= 1)) {
      throw new KernelError('CONFIG_INVALID', `limits.${name} is ${String(value)}.`, {
        hint: 'Use a whole number from 1, or Infinity for no limit.',
      });
    }
    resolved[name] = value;
  }
  return resolved;
}

export function limitError(limit: keyof ResponseLimits, what: string, value: number, hint: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `${what} (limits.${limit}: ${value}).`, {
    hint,
    data: { limit: value, option: `limits.${limit}` },
  });
}
