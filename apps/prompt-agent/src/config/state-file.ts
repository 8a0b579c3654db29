import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type * as z from 'zod';
import { parseJson } from '../files/parse-json.ts';
import { readText } from '../files/read-file.ts';
import { loadSqlite } from '../sessions/database/load-sqlite.ts';

/**
 * Reads the entries of a JSON object that the program keeps, by key. A file that is missing or damaged counts as empty, and an entry that its schema does not
 * accept as absent: the user is asked again. The schema is loaded when there is a file.
 */
export async function readState<Entry>(
  path: string,
  loadSchema: () => Promise<z.ZodType<Entry>>,
): Promise<Map<string, Entry>> {
  const text = await readText(path, 'state').catch(() => undefined);
  if (text === undefined) return new Map();
  const schema = await loadSchema();
  const entries = Object.entries(objectIn(text)).flatMap(([key, value]): readonly (readonly [string, Entry])[] => {
    const { data, success } = schema.safeParse(value);
    return success ? [[key, data]] : [];
  });
  return new Map(entries);
}

function objectIn(text: string): object {
  try {
    const json = parseJson(text, 'state');
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  } catch {
    return {};
  }
}

/**
 * Changes a JSON object that the program keeps: what `change` makes of the file as it is by then is written, unless that is undefined. Other processes that change
 * the same file wait meanwhile, so that none loses what another one wrote.
 */
export async function changeState(path: string, change: () => Promise<object | undefined>): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Node warns when SQLite is loaded for the first time, which holds the lock.
  loadSqlite();
  const { withFileLock } = await import('@kernel/toolbox/workspace');
  await withFileLock(`${path}.lock`, async () => {
    const next = await change();
    if (next !== undefined) await writeState(path, next);
  });
}

/** Writes a JSON object, in a file that only the user can read, and whole or not at all. */
async function writeState(path: string, state: object): Promise<void> {
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}
