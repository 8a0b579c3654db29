import { KernelError } from '@kernel/protocol';

/** The error of a wrong command line: exit code 2, one line. */
export function usageFault(message: string): KernelError {
  return new KernelError('CONFIG_INVALID', message);
}
