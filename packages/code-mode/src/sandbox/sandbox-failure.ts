import { KernelError } from '@kernel/protocol';

/** The error of a sandbox that failed itself, whatever its program did. */
export function sandboxFailure(error: unknown): KernelError {
  const message = error instanceof Error ? error.message : String(error);
  return new KernelError('TOOL_FAILED', `The sandbox failed: ${message.replace(/[.]$/, '')}.`, { cause: error });
}
