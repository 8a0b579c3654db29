import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { readText } from '../files/read-file.ts';

/** Reads a JSON object that the program keeps. A file that is missing or damaged counts as empty: the user is asked again. */
export async function readState(path: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(path, 'state').catch(() => undefined);
  try {
    const json: unknown = JSON.parse(text ?? '{}');
    return typeof json === 'object' && json !== null ? { ...json } : {};
  } catch {
    return {};
  }
}

/** Writes a JSON object, in a file that only the user can read, and whole or not at all. */
export async function writeState(path: string, state: object): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, path);
}
