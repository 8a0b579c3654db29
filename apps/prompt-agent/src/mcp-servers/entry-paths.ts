import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { attempt, isObject, parseJson } from '@kernel/internal';
import { isInside } from '../files/paths.ts';
import type { Host } from '../host.ts';
import { fillVariables, mapTexts } from './fill-variables.ts';
import type { ServerEntry } from './server-files.ts';

/**
 * Makes the paths of an entry of the user's file absolute: it is used in all folders, and a path must not lead to a program of whatever folder that is. Arguments stay as
 * they are, since only the program knows which are paths.
 */
export function withAbsolutePaths(entry: ServerEntry, folder: string): ServerEntry {
  const { command, cwd } = entry;
  const base = typeof cwd === 'string' ? absolute(cwd, folder) : undefined;
  return {
    ...entry,
    ...(typeof command === 'string' && isPath(command) && { command: absolute(command, base ?? folder) }),
    ...(base !== undefined && { cwd: base }),
  };
}

/** The arguments that name a file of a folder, and would name another one in another folder. */
export function relativeFiles({ args, cwd }: ServerEntry, folder: string): readonly string[] {
  if (typeof cwd === 'string' || !Array.isArray(args)) return [];
  return args.map(String).filter((arg) => !isAbsolute(arg) && isFile(resolve(folder, arg)));
}

/** The most words of a file of servers that are looked at, and the most files of them that an approval covers. */
const [MAX_WORDS, MAX_FILES] = [10_000, 200];

/**
 * What an approval of a file of servers is about: its text, with the hashes of the files of the folder that its commands, arguments and variables name, also within
 * a script. Those files are returned too, by their paths in the folder.
 */
export async function approvedContent(
  text: string,
  { cwd, env }: Pick<Host, 'cwd' | 'env'>,
): Promise<{ readonly text: string; readonly files: readonly string[] }> {
  const json = parseJson(text.replace(/^\uFEFF/, ''));
  const servers = Object.values(isObject(json) && isObject(json['mcpServers']) ? json['mcpServers'] : {});
  const files = [...new Set(servers.flatMap((entry) => (isObject(entry) ? namedFiles(entry, cwd, env) : [])))];
  const covered = files.slice(0, MAX_FILES);
  let whole = text;
  // oxlint-disable-next-line no-await-in-loop -- their order counts, and few are named
  for (const file of covered) whole += `\0${file} ${await hashOf(resolve(cwd, file))}`;
  return { text: whole, files: covered };
}

function namedFiles(entry: ServerEntry, folder: string, env: Host['env']): readonly string[] {
  const { command, args, env: variables, cwd } = attempt(() => fillVariables(entry, env, '')) ?? entry;
  const words: string[] = [];
  mapTexts({ command, args, variables }, (text) => {
    words.push(text, ...text.split(/[\s'"`;|&<>()=,]+/, MAX_WORDS));
    return text;
  });
  const base = typeof cwd === 'string' ? resolve(folder, cwd) : folder;
  return [...new Set(words.slice(0, MAX_WORDS))].flatMap((word) => {
    const path = resolve(base, word.replace(/^file:\/\//, ''));
    return word !== '' && !word.includes('\0') && isInside(folder, path) && isFile(path)
      ? [relative(folder, path)]
      : [];
  });
}

/** A larger file is told apart by its size and its time alone. */
const MAX_HASHED = 64 * 1024 * 1024;

async function hashOf(path: string): Promise<string> {
  const { size, mtimeMs } = statSync(path);
  if (size > MAX_HASHED) return `${size} ${mtimeMs}`;
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return 'cannot be read';
  }
}

function isPath(command: string): boolean {
  return command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
}

/** A path that begins with a variable is whole once that is filled. */
function absolute(path: string, folder: string): string {
  return path.startsWith('${') || isAbsolute(path) ? path : resolve(folder, path);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
