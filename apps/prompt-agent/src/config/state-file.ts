import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, isObject } from '@kernel/internal';
import type * as z from 'zod';
import { makeFolder } from '../files/paths.ts';
import { parseJson, readText } from '../files/read-file.ts';
import { loadSqlite } from '../sessions/database/load-sqlite.ts';

interface StateFile<Entry> {
  /** Its entries, by key. One that its schema does not accept counts as absent: the user is asked again. */
  readonly entries: Map<string, Entry>;
  /** Says that the file cannot be read, so that nothing in it counts; undefined for one that can, and for one that is missing. */
  readonly damage?: string;
}

/** Reads a file that the program keeps. The schema is loaded when there is one. */
export async function readState<Entry>(
  path: string,
  loadSchema: () => Promise<z.ZodType<Entry>>,
): Promise<StateFile<Entry>> {
  const { json, problem } = await readObject(path).catch((error: unknown) => ({
    json: undefined,
    problem: errorMessage(error),
  }));
  if (json === undefined)
    return { entries: new Map(), ...(problem === undefined ? {} : { damage: damageNote(path, problem) }) };
  const schema = await loadSchema();
  const entries = Object.entries(json).flatMap(([key, value]): readonly (readonly [string, Entry])[] => {
    const { data, success } = schema.safeParse(value);
    return success ? [[key, data]] : [];
  });
  return { entries: new Map(entries) };
}

/** A note about a file that counts as empty: what was decided is asked again, and what was kept is missed. */
function damageNote(path: string, problem: string): string {
  return `note: ${path} ${problem}, so it is ignored. It will be set aside when the file is next written; to use it, correct it first.`;
}

/** The object in a file, or what is wrong with it; neither for a file that is missing. Rejects with a usage error for one that cannot be read. */
async function readObject(
  path: string,
): Promise<{ readonly json?: Readonly<Record<string, unknown>>; readonly problem?: string }> {
  const text = await readText(path, path);
  if (text === undefined) return {};
  try {
    const json = parseJson(text, '');
    return isObject(json) ? { json } : { problem: 'is not a JSON object' };
  } catch (error) {
    return { problem: errorMessage(error).trim().replace(/\.$/, '') };
  }
}

/**
 * Changes a JSON object that the program keeps: what `change` makes of the file as it is by then is written, unless that is undefined. Other processes that change
 * the same file wait meanwhile, so that none loses what another one wrote. A damaged file, whose problem `change` gets, is kept under another name. `lock` is the path of
 * the lock without its ending, where that shall not be beside the file.
 */
export async function changeState(
  path: string,
  change: (
    json: Readonly<Record<string, unknown>>,
    problem?: string,
  ) => object | undefined | Promise<object | undefined>,
  lock = path,
): Promise<void> {
  for (const folder of new Set([dirname(path), dirname(lock)])) makeFolder(folder);
  // Node warns when SQLite is loaded for the first time, which holds the lock.
  loadSqlite();
  const { withFileLock } = await import('@kernel/toolbox/workspace');
  await withFileLock(`${lock}.lock`, async () => {
    const { json = {}, problem } = await readObject(path);
    const next = await change(json, problem);
    if (next === undefined) return;
    if (problem !== undefined) await rename(path, `${path}.damaged-${new Date().toISOString().replaceAll(':', '-')}`);
    await writeState(path, next);
  });
}

async function writeState(path: string, state: object): Promise<void> {
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}
