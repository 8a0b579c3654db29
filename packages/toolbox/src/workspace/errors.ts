import { errorMessage, sliceHead, sliceTail, visibleLine } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

export function toolError(message: string, cause?: unknown): KernelError {
  return new KernelError('TOOL_FAILED', message, cause === undefined ? {} : { cause });
}

const MAX_REASON = 300;

/** What an editor says of a failure, on one line without a full stop. */
export function editorReason(error: unknown): string {
  return visibleLine(sliceHead(errorMessage(error), MAX_REASON)).replace(/\.$/, '') || 'it did not say why';
}

export function missingError(path: string, cause?: unknown, hint = ''): KernelError {
  return new KernelError('TOOL_FAILED', `There is no ${quote(path)} in the workspace.${hint}`, {
    data: { reason: 'missing' },
    ...(cause === undefined ? {} : { cause }),
  });
}

export function isMissing(error: unknown): boolean {
  return KernelError.is(error) && error.data?.['reason'] === 'missing';
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** A path or another name from outside in quotes, with control and direction characters escaped, and shortened in the middle. */
export function quote(text: string): string {
  const short = text.length > 400 ? `${sliceHead(text, 200)}…${sliceTail(text, 200)}` : text;
  return `"${visibleLine(short)}"`;
}

/** A text as a JSON string of ASCII alone, in which each character is told apart from those that look the same. */
export function quoteAscii(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[^\x20-\x7E]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links form a circle',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ENOTEMPTY: 'the folder is not empty',
  EEXIST: 'it exists',
  EXDEV: 'it is on another file system',
  EMFILE: 'too many files are open',
  EBUSY: 'it is in use',
  EIO: 'the device reported an error',
  EILSEQ: 'the file system does not take such a name',
  EINVAL: 'the file system does not take it',
};

export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return REASONS[code] ?? (code === '' ? 'unknown error' : code);
}

/** Settles like `work`, but resolves to undefined if there is nothing at the path. */
export function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}
