import { KernelError, type KernelErrorCode, type RunEnd } from '@kernel/protocol';

/** The program's exit codes: one for each class of outcome. */
export const EXIT = {
  /** An answer. */
  answer: 0,
  /** The run failed in a way that no other code names. */
  failed: 1,
  /** Wrong usage, or a wrong file that the user named. */
  usage: 2,
  /** Offline cannot answer this. */
  offline: 3,
  /** A call needs an approval that nobody could give. */
  approval: 4,
  /** A limit was reached before the answer. */
  limit: 5,
  /** The model repeated the same calls. */
  loop: 6,
  /** The provider refused the request or the key (a status below 500), or filtered the reply. */
  refused: 7,
  /** The provider was not reached or had a fault of its own (a status from 500), or the connection broke. */
  network: 8,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

const BY_CODE: Partial<Record<KernelErrorCode, number>> = {
  CONFIG_INVALID: EXIT.usage,
  LIMIT_REACHED: EXIT.limit,
  PROVIDER_HTTP: EXIT.refused,
  PROVIDER_REFUSED: EXIT.refused,
  PROVIDER_NETWORK: EXIT.network,
  PROVIDER_TIMEOUT: EXIT.network,
};

/** Returns the exit code for an error. */
export function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (signal.aborted) return EXIT.interrupted;
  if (!KernelError.is(error)) return EXIT.failed;
  if (error.code === 'PROVIDER_REFUSED' && error.data?.['provider'] === 'offline') return EXIT.offline;
  if (error.code === 'PROVIDER_HTTP' && Number(error.data?.['status']) >= 500) return EXIT.network;
  return BY_CODE[error.code] ?? EXIT.failed;
}

const BY_REASON = {
  done: EXIT.answer,
  handled: EXIT.answer,
  aborted: EXIT.interrupted,
  approval: EXIT.approval,
  limit: EXIT.limit,
  loop: EXIT.loop,
  filtered: EXIT.refused,
  length: EXIT.limit,
} as const;

/** Returns the exit code for a finished run: 0 only for a complete answer. */
export function exitCodeOfRun(end: Pick<RunEnd, 'reason'> & { readonly error?: unknown }, signal: AbortSignal): number {
  return end.reason === 'error' ? exitCodeOf(end.error, signal) : BY_REASON[end.reason];
}
