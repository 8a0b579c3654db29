import { KernelError } from '@kernel/protocol';

/** Creates the `CONFIG_INVALID` error of a setting that is missing or wrong. @internal */
export function configError(provider: string, message: string, hint: string, cause?: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', `${provider}: ${message}`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
