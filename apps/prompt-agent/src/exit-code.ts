import { KernelError, type RunEnd } from '@kernel/protocol';

/** The program's exit codes. */
export const EXIT = { answer: 0, failed: 1, usage: 2, offline: 3, interrupted: 130 } as const;

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (signal.aborted) return EXIT.interrupted;
  if (KernelError.is(error, 'CONFIG_INVALID')) return EXIT.usage;
  if (KernelError.is(error, 'PROVIDER_REFUSED') && error.data?.['provider'] === 'offline') return EXIT.offline;
  return EXIT.failed;
}

/** Returns the exit code for a finished run: 0 only for a complete answer. */
export function exitCodeOfRun(end: Pick<RunEnd, 'reason'> & { readonly error?: unknown }, signal: AbortSignal): number {
  if (end.reason === 'done' || end.reason === 'handled') return EXIT.answer;
  if (end.reason === 'aborted') return EXIT.interrupted;
  return end.reason === 'error' ? exitCodeOf(end.error, signal) : EXIT.failed;
}
