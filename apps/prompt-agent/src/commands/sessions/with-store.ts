import type { CommandCall } from '../../command-call.ts';
import { stateFolder } from '../../config/folders.ts';
import { openStore, type SessionStore, setAsideNote } from '../../sessions/session-store.ts';
import { usageError } from '../../usage-error.ts';

/** Runs a command on the file of sessions, and closes it. Where a damaged file was put is a note. */
export async function withStore<T>(
  { host, output }: Pick<CommandCall, 'host' | 'output'>,
  work: (store: SessionStore) => T | Promise<T>,
): Promise<T> {
  const store = openStore(stateFolder(host));
  try {
    if (store.damaged !== undefined) output.alert(setAsideNote(store.damaged));
    return await work(store);
  } finally {
    store.close();
  }
}

/** How many rows a list has without `--limit`. */
const DEFAULT_LIMIT = 50;

/** The number of `--limit`; 0 means all. */
export function limitOf(given: string | undefined): number {
  if (given !== undefined && !/^\d{1,9}$/.test(given))
    throw usageError(`--limit "${given}" must be a whole number, or 0 for all.`);
  return given === undefined ? DEFAULT_LIMIT : Number(given);
}
