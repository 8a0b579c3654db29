import { KernelError } from '@kernel/protocol';

/** Creates the error for a call that cannot be carried out; its message is for the model and the user. */
export function toolError(message: string): KernelError {
  return new KernelError('TOOL_FAILED', message);
}
