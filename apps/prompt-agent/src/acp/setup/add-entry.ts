import { chmod, lstat, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorMessage, isObject, parseJson, visible } from '@kernel/internal';
import { duplicateKeys, KernelError } from '@kernel/protocol';
import { usageError } from '../../exit-code.ts';
import type { Setup } from './editor-entries.ts';

/**
 * Adds an entry to a file of settings, which may not be there yet. Nothing of what is there is lost: neither other entries, nor what the user has added to this one. A
 * link stays one, and what may read the file stays the same.
 */
export async function addEntry(named: string, entry: NonNullable<Setup['json']>): Promise<void> {
  const refuse = (problem: string): never => {
    throw usageError(
      `--output: ${visible(named)} ${problem}, and was not changed. Run it without --output, and paste what is printed.`,
    );
  };
  const isThere = (await lstat(named).catch(() => undefined)) !== undefined;
  const path = isThere ? await realpath(named).catch(() => refuse('is a broken link')) : named;
  const info = await stat(path).catch(() => undefined);
  if (info !== undefined && !info.isFile()) refuse('is not a file');
  try {
    const text = info === undefined ? '' : await readFile(path, 'utf8');
    const settings = text.trim() === '' ? {} : parseJson(text);
    if (!isObject(settings) || hasInexactNumber(text) || duplicateKeys(text).length > 0)
      return refuse('is not plain JSON');
    const merged = Object.entries(entry).map(([key, value]) => {
      const there = settings[key] ?? {};
      return isObject(there)
        ? [key, { ...there, ...mergeEntries(there, value) }]
        : refuse(`has no object under "${key}"`);
    });
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${process.pid}.new`;
    const next = `${JSON.stringify({ ...settings, ...Object.fromEntries(merged) }, undefined, 2)}\n`;
    await writeFile(draft, next, { flag: 'wx' });
    // The mask of the process does not hold for the mode of what was there.
    if (info !== undefined) await chmod(draft, info.mode & 0o7777);
    await rename(draft, path);
  } catch (error) {
    if (KernelError.is(error)) throw error;
    refuse(`cannot be written (${errorMessage(error)})`);
  }
}

/** The new entries, with what only those that are there have, and their variables. */
function mergeEntries(
  there: Readonly<Record<string, unknown>>,
  entries: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = Object.entries(entries).map(([name, entry]) => {
    const known = there[name];
    if (!isObject(known) || !isObject(entry)) return [name, entry] as const;
    return [name, { ...known, ...entry, ...(known['env'] !== undefined && { env: known['env'] }) }] as const;
  });
  return Object.fromEntries(merged);
}

/** Whether a JSON text has a number that would be written as another one. */
function hasInexactNumber(text: string): boolean {
  let isInexact = false;
  JSON.parse(text === '' ? '{}' : text, (_key, value: unknown, context?: { readonly source?: string }) => {
    const { source = '' } = context ?? {};
    const digits = source.replace(/e.*$/i, '').replaceAll(/[-.]/g, '').replace(/^0+/, '');
    isInexact ||=
      typeof value === 'number' && String(value) !== source && (digits.length > 15 || !Number.isFinite(value));
    return value;
  });
  return isInexact;
}
