import { usageError } from '../usage-error.ts';
import type { Flags } from './flags.ts';

const MAX_PORT = 65_535;

/** The port of `--port`; 0 means a free one, and undefined that there is no flag. Throws a usage error for anything else. */
export function portOf({ port }: Flags): number | undefined {
  if (port === undefined) return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT)
    throw usageError(`--port "${port}" must be a number from 0 to ${MAX_PORT}; 0 takes a free one.`);
  return Number(port);
}
