import { KernelError } from '@kernel/protocol';

/** The error of a call that cannot be done as asked; its message is for the model and the user. */
export function toolFault(message: string): KernelError {
  return new KernelError('TOOL_FAILED', message);
}
