import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { nearest } from '@kernel/internal';
import { configFolder } from '../config/folders.ts';
import { readText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import { usageError } from '../usage-error.ts';

/** A kind of text that the user keeps by name, in a folder of the program's settings. */
export interface SettingsFileKind {
  /** The flag that names one, such as `--role`. */
  readonly flag: string;
  /** The folder, such as `roles`. */
  readonly folder: string;
  /** How the names of its files end, such as `.md`. */
  readonly extension: string;
}

/** Reads the file of a name. Rejects with a usage error that names those that there are; a name can't leave the folder. */
export async function readSettingsFile(
  { flag, folder, extension }: SettingsFileKind,
  name: string,
  host: Pick<Host, 'env' | 'home'>,
): Promise<string> {
  const path = join(configFolder(host), folder);
  const text = /^[\w][\w.-]*$/.test(name)
    ? await readText(join(path, `${name}${extension}`), flag, `${name}${extension}`)
    : undefined;
  if (text !== undefined) return text;
  const files = await readdir(path).catch(() => []);
  const names = files.filter((file) => file.endsWith(extension)).map((file) => file.slice(0, -extension.length));
  const [near] = nearest(name, names, 1);
  const known = names.length === 0 ? 'there are none' : `there are ${names.toSorted().join(', ')}`;
  throw usageError(
    `${flag}: "${name}" is not in ${path}; ${near === undefined ? `${known}.` : `did you mean ${near}?`} A file is named ${join(path, `NAME${extension}`)}.`,
  );
}
