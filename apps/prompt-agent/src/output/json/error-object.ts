import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

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
