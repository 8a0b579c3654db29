import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space on the disk, then run again.',
  EDQUOT: 'The quota of this user is used up: free some space, then run again.',
  EACCES: 'Give this user permission to read and write it.',
  EPERM: 'Give this user permission to read and write it.',
  EROFS: 'The file system is read-only: use another folder.',
  ENOENT: 'Create the folder first.',
};

/**
 * Returns the error of a store that failed: `STORE_FAILED` with the system's code, such as `ENOSPC`, in `data.code`. A `KernelError` is
 * returned as it is.
 */
export function storeError(what: string, error: unknown): KernelError {
  if (KernelError.is(error) && error instanceof Error) return error;
  const code = codeOf(error);
  return new KernelError('STORE_FAILED', `${what}: ${errorMessage(error)}`, {
    hint:
      (code === undefined ? undefined : HINTS[code]) ??
      'What was written before is kept: correct the store, then run again.',
    ...(code === undefined ? {} : { data: { code } }),
    cause: error,
  });
}

function codeOf(error: unknown): string | undefined {
  try {
    return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  } catch {
    return undefined; // a getter or a proxy that throws
  }
}
