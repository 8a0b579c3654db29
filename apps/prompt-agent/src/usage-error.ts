import { KernelError } from '@kernel/protocol';

/** Creates the error for a wrong command line: exit code 2, one line. */
export function usageError(message: string): KernelError {
  return new KernelError('CONFIG_INVALID', message);
}
