import { KernelError } from '@kernel/protocol';

export function configError(provider: string, message: string, hint: string, cause?: unknown): KernelError {
  return new KernelError('CONFIG_INVALID', `${provider}: ${message}`, {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
