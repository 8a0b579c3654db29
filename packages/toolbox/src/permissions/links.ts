import { attempt } from '@kernel/internal';
import { type Dirent, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import type { ShellWord } from '../commands/shell/types.ts';
import { mayHoldCredentials } from '../workspace/credential-names.ts';
import { isInside } from '../workspace/paths.ts';

/** How many paths and entries of folders are looked at for one command. Beyond that they may lead anywhere. */
const MAX_LOOKS = 5000;
const MAX_PATH = 4096;
/** As many links to links as the system follows. */
const MAX_HOPS = 40;
/** How far behind a short option its value may begin, when both are one word. */
const VALUE_STARTS = [2, 3, 4, 5, 6];

export type Links = ReturnType<typeof createLinks>;

/** Looks below `root`, an absolute path. What is not there leads to where it would be made. */
export function createLinks(root: string) {
  const real = realPathOf(root) ?? root;
  let looksLeft = MAX_LOOKS;
  const leadOut = (path: string): boolean => {
    looksLeft -= path.split('/').length;
    // The system opens nothing longer.
    if (looksLeft < 0 || path.length > MAX_PATH) return true;
    const target = resolve(real, linkTarget(root, path, real) ?? path);
    return !isInside(real, target, sep) || mayHoldCredentials(relative(real, target)) || hasOtherNames(target);
  };
  const holdsCredentials = (folder: string): boolean =>
    entriesOf(folder).some((entry) => {
      looksLeft -= 1;
      if (looksLeft < 0 || mayHoldCredentials(entry.name)) return true;
      return entry.isDirectory() && holdsCredentials(join(folder, entry.name));
    });
  const globLeadsOut = (folder: string, names: readonly string[], next = 0): boolean => {
    const first = names.findIndex((name, index) => index >= next && /[*?[{]/.test(name));
    if (first === -1) return leadOut([folder, ...names.slice(next)].join('/'));
    const above = [folder, ...names.slice(next, first)].join('/');
    if (leadOut(above)) return true;
    const all = entriesOf(`${real}/${above}`);
    looksLeft -= all.length;
    // No wildcard at its beginning stands for a dot.
    const entries = names[first]?.startsWith('.') === true ? all : all.filter(({ name }) => !name.startsWith('.'));
    return looksLeft < 0 || entries.some(({ name }) => globLeadsOut(`${above}/${name}`, names, first + 1));
  };
  return {
    /** Whether a path, relative to the root, leads out of it or to what may hold credentials, also through a link, or is a file with several names, of which another one may be outside. */
    leadOut,
    /** Whether what may hold credentials is in a folder, or in one below it. A file is none. */
    holdsCredentials: (path: string): boolean => holdsCredentials(resolve(real, path)),
    /** The same for a word of a command: as a whole, as the value of an option, and for each name that its wildcards may stand for, of which none may hold credentials. */
    leadOutOf: (folder: string, { glob, text }: ShellWord): boolean =>
      text === undefined
        ? glob !== undefined && (glob.length > MAX_PATH || globLeadsOut(folder, glob.split('/')))
        : pathsIn(text).some((path) => leadOut(`${folder}/${path}`)),
  };
}

/**
 * Where a path leads if a link is on the way: relative to the root, or absolute outside of it. Undefined if there is none. What does not exist is where it
 * would be made; the `..` behind a link is the folder around what it leads to.
 */
export function linkTarget(root: string, path: string, real = realPathOf(root) ?? root): string | undefined {
  if (path === '' || path.length > MAX_PATH || path.includes('\0')) return undefined;
  const names = path.split('/');
  let reached = isAbsolute(path) ? parse(path).root : real;
  for (const [index, name] of names.entries()) {
    const next = resolve(reached, name);
    const target = realPathOf(next) ?? danglingTarget(next);
    reached = target ?? resolve(reached, ...names.slice(index));
    if (target === undefined) break;
  }
  if (reached === resolve(real, path)) return undefined;
  return isInside(real, reached, sep) ? relative(real, reached).split(sep).join('/') || '.' : reached;
}

function danglingTarget(path: string): string | undefined {
  let target: string | undefined;
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    try {
      target = resolve(target ?? path, '..', readlinkSync(target ?? path));
    } catch {
      break;
    }
  }
  return target;
}

/** A word, and the values that it may hold as an option: `--file=a`, `-fa`. */
export function pathsIn(text: string): readonly string[] {
  if (!text.startsWith('-')) return [text];
  const value = text.indexOf('=');
  const short = text.startsWith('--') ? [] : VALUE_STARTS.map((start) => text.slice(start));
  return [text, ...(value === -1 ? [] : [text.slice(value + 1)]), ...short].filter((path) => path !== '');
}

function realPathOf(path: string): string | undefined {
  return attempt(() => realpathSync.native(path));
}

/** Whether a file is also known by other names. Below `node_modules` package managers make such files. */
function hasOtherNames(path: string): boolean {
  const stats = attempt(() => statSync(path));
  return stats?.isFile() === true && stats.nlink > 1 && !path.split(sep).includes('node_modules');
}

function entriesOf(folder: string): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}
