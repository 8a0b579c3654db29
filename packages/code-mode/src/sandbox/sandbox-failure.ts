import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The error of a sandbox that failed itself, whatever its program did. */
export function sandboxFailure(error: unknown): KernelError {
  return new KernelError('TOOL_FAILED', `The sandbox failed: ${errorMessage(error).replace(/[.]$/, '')}.`, {
    cause: error,
  });
}
