import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '@kernel/internal';
import type { Ignore } from 'ignore';
import type { Skipped } from './search/skipped.ts';
import type { DirectoryEntry, Workspace } from '../workspace/index.ts';
import { isClosedFile } from '../workspace/closed-files.ts';
import { withDiskReads } from '../workspace/editor/read-scopes.ts';
import { quote, toolError } from '../workspace/errors.ts';
import { createEventLoopYield } from '../workspace/event-loop.ts';
import { joinPath, lineage, nameOf, parentOf } from '../workspace/paths.ts';

const MAX_RULES_BYTES = 262_144;
// Windows has neither of the last two, which count as 0 there.
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

export type Visibility = ReturnType<typeof createVisibility>;

/**
 * Hides what may not be read, `node_modules`, and what `.gitignore` files and `.git/info/exclude` from the root down
 * ignore; the deepest one with a rule that matches decides, as in Git. Rules are read once for each folder. Below a
 * folder that is hidden itself, and was named all the same, those above it do not count: then `isNamedAnyway` is true.
 */
export async function visibilityBelow(
  workspace: Workspace,
  start: string,
): Promise<{ readonly visibility: Visibility; readonly isNamedAnyway: boolean }> {
  const visibility = createVisibility(workspace, '.');
  for (const each of start === '.' ? [] : lineage(start))
    if (await visibility.isHidden(each, true))
      return { visibility: createVisibility(workspace, start), isNamedAnyway: true };
  return { visibility, isNamedAnyway: false };
}

function createVisibility(workspace: Workspace, base: string) {
  const cache = new Map<string, Promise<readonly Rules[]>>();
  const load = async (folder: string, known: readonly DirectoryEntry[] | undefined): Promise<readonly Rules[]> => {
    const above = folder === '.' || folder === base ? [] : await rulesOf(parentOf(folder));
    const entries = known ?? (await workspace.list(folder).catch(() => []));
    const has = (wanted: string): boolean => entries.some(({ name }) => name === wanted);
    // As in Git, the rules of a folder count before those that its repository keeps for its owner alone.
    const own = [
      has('.git') ? await rulesIn(folder, readExclude(workspace, folder)) : undefined,
      has('.gitignore') ? await rulesIn(folder, await readIgnore(workspace, folder)) : undefined,
    ];
    return [...above, ...own.filter((each) => each !== undefined)];
  };
  const rulesOf = (folder: string, known?: readonly DirectoryEntry[]): Promise<readonly Rules[]> => {
    const rules = cache.get(folder) ?? load(folder, known);
    cache.set(folder, rules);
    return rules;
  };
  return {
    /** Whether a search leaves an entry of a folder out. `entries` are those of the folder, where they are known. */
    isHidden: async (path: string, isFolder: boolean, entries?: readonly DirectoryEntry[]): Promise<boolean> => {
      if (nameOf(path) === 'node_modules') return true;
      // A folder that may not be read can hold files that may: what is in it is decided one by one.
      if (!isFolder && (!workspace.allows('read', path) || isClosedFile(path))) return true;
      const rules = await rulesOf(parentOf(path), entries);
      return rules.length > 0 && isIgnored(path, isFolder, rules);
    },
  };
}

export async function isHiddenBelow(visibility: Visibility, start: string, path: string): Promise<boolean> {
  for (const each of lineage(path)) {
    if (start === each || start.startsWith(`${each}/`)) continue;
    if (await visibility.isHidden(each, each !== path)) return true;
  }
  return false;
}

/**
 * Yields the files below a path, each folder's entries by name. Links are not followed. A file that is named directly is yielded in any case, and a
 * folder that cannot be listed is left out, and told to `skipped`, as links are.
 */
export async function* walkFiles(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
  skipped?: Pick<Skipped, 'addUnreadable' | 'addLink'>,
): AsyncGenerator<string> {
  const start = await workspace.stat(path, { signal });
  if (start.type !== 'directory') {
    if (isClosedFile(start.path)) throw toolError(`${quote(path)} is left out of searches by a permission rule.`);
    yield start.path;
    return;
  }
  const { visibility } = await visibilityBelow(workspace, start.path);
  // Depth first with a list of its own, so that a deep tree costs no stack. A file has a slash at its end, which no path has.
  const waiting = [start.path];
  const letEventsRun = createEventLoopYield();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    await letEventsRun();
    signal.throwIfAborted();
    if (next.endsWith('/')) {
      yield next.slice(0, -1);
      continue;
    }
    const isStart = next === start.path;
    const entries = await workspace.list(next, { signal }).catch((error: unknown) => {
      if (isStart || signal.aborted) throw error;
      skipped?.addUnreadable(error);
      return [];
    });
    for (const { name, type } of entries.toReversed()) {
      if (type === 'other') continue;
      const below = joinPath(next, name);
      if (await visibility.isHidden(below, type === 'directory', entries)) continue;
      if (type === 'link') {
        skipped?.addLink(below);
        continue;
      }
      waiting.push(type === 'directory' ? below : `${below}/`);
    }
  }
}

function readIgnore(workspace: Workspace, folder: string): Promise<Uint8Array | undefined> {
  const read = () => workspace.read(joinPath(folder, '.gitignore'), { maxBytes: MAX_RULES_BYTES });
  return withDiskReads(read).then(
    ({ bytes }) => bytes,
    () => undefined,
  );
}

/**
 * Reads from the disk what the tools may not: the text is used as rules alone. A pipe or a link in its place is none.
 */
function readExclude(workspace: Workspace, folder: string): Uint8Array | undefined {
  const git = workspace.folder === undefined ? undefined : join(workspace.folder, folder, '.git');
  if (git === undefined || attempt(() => lstatSync(git))?.isDirectory() !== true) return undefined;
  return attempt(() => {
    const fd = openSync(join(git, 'info/exclude'), READ_FLAGS);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= MAX_RULES_BYTES ? readFileSync(fd) : undefined;
    } finally {
      closeSync(fd);
    }
  });
}

async function rulesIn(folder: string, bytes: Uint8Array | undefined): Promise<Rules | undefined> {
  if (bytes === undefined) return undefined;
  const { default: ignore } = await import('ignore');
  return { folder, rules: ignore().add(new TextDecoder().decode(bytes)) };
}

function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (const { folder, rules: own } of rules.toReversed()) {
    const below = folder === '.' ? path : path.slice(folder.length + 1);
    const verdict = own.test(isFolder ? `${below}/` : below);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}
