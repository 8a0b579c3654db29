import { errorMessage } from '@kernel/internal';
import { KernelError, type KernelErrorCode } from '@kernel/protocol';

export const EXIT = {
  answer: 0,
  failed: 1,
  usage: 2,
  offline: 3,
  approval: 4,
  limit: 5,
  loop: 6,
  refused: 7,
  network: 8,
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

export function exitCodeOf(error: unknown, signal: AbortSignal): number {
  if (signal.aborted) return EXIT.interrupted;
  if (!KernelError.is(error)) return EXIT.failed;
  if (error.code === 'PROVIDER_REFUSED' && error.data?.['provider'] === 'offline') return EXIT.offline;
  if (error.code === 'PROVIDER_HTTP' && Number(error.data?.['status']) >= 500) return EXIT.network;
  return BY_CODE[error.code] ?? EXIT.failed;
}

/** Creates the error for a wrong command line: exit code 2, one line. */
export function usageError(message: string): KernelError {
  return new KernelError('CONFIG_INVALID', message);
}

/** Returns an error as lines: what happened, then what to do. */
export function errorNote(error: unknown): string {
  if (!KernelError.is(error)) return `prompt-agent: ${errorMessage(error)}`;
  const hint = error.hint === undefined ? '' : `\n${error.hint}`;
  return `prompt-agent: ${error.message}${hint}`;
}

/**
 * Returns the error as a program gets it that asked for `--json` or `--json-lines`; undefined for any other. The arguments decide, since
 * an error may be about them.
 */
export function errorObject(argv: readonly string[], error: unknown, exitCode: number): object | undefined {
  const end = argv.indexOf('--');
  const flags = new Set((end === -1 ? argv : argv.slice(0, end)).map((arg) => arg.replace(/^--?/, '--')));
  const about = KernelError.is(error) ? error.toJSON() : { code: 'FAILED', message: errorMessage(error) };
  if (flags.has('--json-lines')) return { type: 'error', exitCode, error: about };
  if (flags.has('--json')) return { version: 1, reason: 'error', exitCode, error: about };
  return undefined;
}
