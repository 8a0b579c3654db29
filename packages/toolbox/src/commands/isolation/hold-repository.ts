import { randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, hasEnded, ownIdentity } from '@kernel/internal';

/** Begins the names of the files by which the holders know of each other. */
const HOLDER = 'isolated-command-';
const HEAD = 'HEAD';
const MAX_TRIES = 20;
const MAX_IDENTITY = 4096;

/**
 * Holds the place of a missing repository, so that no isolated command can make one, which Git would use later: makes a
 * folder `.git` to mount over, which Git takes for no repository, and a folder `HEAD`, with which it takes the folder
 * itself for no bare one. Returns a function that removes them, unless others still hold them. What a killed program left
 * is removed with the next ones.
 */
export function holdRepository(folder: string): () => void {
  const [git, head] = [join(folder, '.git'), join(folder, HEAD)];
  const own = join(git, HOLDER + randomUUID());
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    attempt(() => mkdirSync(git, { mode: 0o755 }));
    if (!isHeld(git)) break;
    forgetEnded(git);
    // Another one may remove the folder in between.
    const isMade = attempt(() => {
      writeFileSync(own, JSON.stringify(ownIdentity()), { flag: 'wx', mode: 0o600 });
      return true;
    });
    if (isMade !== true) continue;
    attempt(() => mkdirSync(head, { mode: 0o755 }));
    return () => {
      rmSync(own, { force: true });
      if (attempt(() => readdirSync(git))?.length !== 0) return;
      for (const each of [head, git]) attempt(() => rmdirSync(each));
    };
  }
  return () => undefined;
}

/** Returns the paths that only hold the place of a repository; none if there is one. */
export function heldPlaces(folder: string): readonly string[] {
  const [git, head] = [join(folder, '.git'), join(folder, HEAD)];
  if (!isHeld(git)) return [];
  return attempt(() => readdirSync(head))?.length === 0 ? [git, head] : [git];
}

/** Whether a folder only holds the place of a repository. */
export function isHeld(git: string): boolean {
  const isFolder = lstatSync(git, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder && attempt(() => readdirSync(git))?.every((name) => name.startsWith(HOLDER)) === true;
}

function forgetEnded(git: string): void {
  for (const path of (attempt(() => readdirSync(git)) ?? []).map((name) => join(git, name))) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > MAX_IDENTITY) continue;
    if (hasEnded(attempt(() => JSON.parse(readFileSync(path, 'utf8'))))) attempt(() => rmSync(path));
  }
}
