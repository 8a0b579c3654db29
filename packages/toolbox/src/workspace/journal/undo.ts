import { quote, toolError } from '../errors.ts';
import { isInside, joinPath, lineage, parentOf } from '../paths.ts';
import type { Storage } from '../storage.ts';
import type { FileInfo } from '../types.ts';
import type { Entry, Journal, Step } from './journal.ts';

function previewOf(storage: Storage) {
  const known = new Map<string, string | undefined>();
  const moves: { readonly from: string; readonly to: string }[] = [];
  /** Where something is now that would be at a path that is not known; undefined if nothing would be there. */
  const placeOf = (path: string): string | undefined => {
    // Below what would be gone, a file or a folder made again is nothing, unless something would be moved back there.
    const decided = lineage(parentOf(path)).findLast((each) => known.has(each)) ?? '';
    const isMovedBack = moves.some(({ from }) => from.length > decided.length && isInside(from, path));
    if (decided !== '' && !isMovedBack) return undefined;
    let at = path;
    for (const { from, to } of moves.toReversed()) {
      if (isInside(from, at)) at = to + at.slice(from.length);
      else if (isInside(to, at)) return undefined;
    }
    return at;
  };
  const findAt = async (path: string): Promise<FileInfo | undefined> => {
    const place = placeOf(path);
    return place === undefined ? undefined : storage.find(place, { entry: true });
  };
  const versionAt = async (path: string): Promise<string | undefined> =>
    known.has(path) ? known.get(path) : (await findAt(path))?.version;
  /** The names that may be in a folder; undefined if there would be no folder. */
  const namesIn = async (folder: string): Promise<readonly string[] | undefined> => {
    if (known.has(folder)) return known.get(folder) === FOLDER ? [] : undefined;
    const there = await findAt(folder);
    if (there?.type !== 'directory') return undefined;
    return (await storage.list(there.path, {})).map(({ name }) => name);
  };
  return {
    versionAt,
    set: (path: string, version: string | undefined): void => void known.set(path, version),
    moveBack: (from: string, to: string): void => {
      const before = [...known];
      for (const [path] of before) if (isInside(from, path) || isInside(to, path)) known.delete(path);
      for (const [path, version] of before) if (isInside(to, path)) known.set(from + path.slice(to.length), version);
      moves.push({ from, to });
    },
    /** Notes that a folder that was made is removed, if nothing would be in it. */
    removeFolder: async (path: string): Promise<void> => {
      const names = await namesIn(path);
      if (names === undefined) return;
      const below = [...known.keys(), ...moves.map(({ from }) => from)].filter((each) => each.startsWith(`${path}/`));
      for (const each of [...names.map((name) => joinPath(path, name)), ...below])
        if ((await versionAt(each)) !== undefined) return;
      known.set(path, undefined);
    },
  };
}

const FOLDER = 'folder';

/** Throws if one of the changes cannot be reverted, because something else has changed since. Changes nothing. `entries` are the newest first. */
export async function checkUndo(storage: Storage, entries: readonly Entry[]): Promise<void> {
  const preview = previewOf(storage);
  for (const { id, steps } of entries) {
    for (const step of steps.toReversed()) {
      const { path, to = '', what } = step;
      const refuse = (problem: string): Error =>
        toolError(`Change ${id} cannot be taken back: ${quote(path)} ${problem}. Nothing was changed.`);
      if (what === 'created' || what === 'changed') {
        const version = await preview.versionAt(path);
        // A step of a process that was killed may not have been done.
        const isUndone = step.after === undefined || version === step.before?.version;
        if (!isUndone && version !== step.after) throw refuse('was changed since');
        preview.set(path, step.before?.version);
      } else if (what === 'removed' || what === 'link-removed') {
        const version = await preview.versionAt(path);
        if (version !== undefined && version !== step.before?.version) throw refuse('exists again');
        preview.set(path, step.before?.version ?? 'link');
      } else if (what === 'moved') {
        const isThere = (await preview.versionAt(path)) !== undefined;
        const wasMoved = (await preview.versionAt(to)) !== undefined;
        if (isThere && wasMoved) throw refuse('exists again');
        if (!isThere) preview.moveBack(path, to);
      } else if (what === 'directory-made') await preview.removeFolder(path);
      else if ((await preview.versionAt(path)) === undefined) preview.set(path, FOLDER);
    }
  }
}

/** Takes the steps of a change back, the last one first. What a crash kept from being done is left as it is. */
export async function undoEntry(storage: Storage, journal: Journal, entry: Entry): Promise<void> {
  for (let index = entry.steps.length - 1; index >= 0; index -= 1) {
    const step = entry.steps[index];
    if (step === undefined) return;
    await undoStep(storage, journal, entry.id, index, step);
    journal.forgetLast(entry.id);
  }
}

async function undoStep(storage: Storage, journal: Journal, id: string, index: number, step: Step): Promise<void> {
  const { after, before, path, to, what } = step;
  // It was never done.
  if ((what === 'created' || what === 'changed') && after === undefined) return;
  const there = await storage.find(path, { entry: true });
  // What is there now is only touched if it is what the step made: a step that failed or was cut off made nothing.
  if (what === 'created') {
    if (there !== undefined && there.version === after) await storage.removeFile(path);
  } else if (what === 'changed' || what === 'removed') {
    const isOurs = what === 'removed' ? there === undefined : there !== undefined && there.version === after;
    if (before === undefined || !isOurs) return;
    const restored = await storage.replace(path, await journal.kept(id, index), { before: there, mode: before.mode });
    journal.relabel(before.version, restored.version);
  } else if (what === 'moved') {
    if (there === undefined && to !== undefined) await storage.rename(to, path);
  } else if (what === 'link-removed') {
    if (there === undefined) await storage.makeLink(path, step.target ?? '');
  } else if (what === 'directory-removed') {
    if (there === undefined) await storage.makeFolder(path, before === undefined ? {} : { mode: before.mode });
  } else if (there?.type === 'directory' && (await storage.list(path, {})).length === 0)
    await storage.removeFolder(path);
}
