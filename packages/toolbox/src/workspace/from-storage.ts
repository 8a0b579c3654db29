import { createLock, errorMessage } from '@kernel/internal';
import { invalidOption } from '@kernel/protocol';
import { applyEdit } from './apply-edits.ts';
import { isMissing, quote, toolError } from './errors.ts';
import { createEventLoopYield } from './event-loop.ts';
import { changeOf, type Entry, type Journal } from './journal/journal.ts';
import { checkUndo, undoEntry } from './journal/undo.ts';
import { missingPath } from './missing-path.ts';
import type { Storage } from './storage.ts';
import type { Change, Edit, UndoOptions, Workspace } from './types.ts';

const MAX_READ = 64 * 1024 * 1024;

export function workspaceOver(storage: Storage, journal: Journal): Workspace {
  const exclusive = createLock();

  const apply = (edits: readonly Edit[], signal: AbortSignal | undefined): Promise<Change> =>
    exclusive(async () => {
      signal?.throwIfAborted();
      const id = journal.begin();
      try {
        const draft = { storage, journal, id, signal, letEventsRun: createEventLoopYield() };
        for (const edit of edits) await applyEdit(draft, edit);
      } catch (error) {
        await rollBack(entryOf(journal, id), error);
        throw error;
      }
      const entry = entryOf(journal, id) ?? { id, at: Date.now(), bytes: 0, steps: [] };
      const change = changeOf(entry);
      // A change of nothing, such as a folder that exists, is nothing to take back.
      if (entry.steps.length === 0) journal.forgetLast(id);
      return change;
    });

  const rollBack = async (entry: Entry | undefined, error: unknown): Promise<void> => {
    if (entry === undefined) return;
    if (entry.steps.length === 0) return journal.forgetLast(entry.id);
    await undoEntry(storage, journal, entry).catch((undoError: unknown) => {
      const why = errorMessage(error);
      const how = errorMessage(undoError);
      throw toolError(
        `${why} What was done before could not be taken back: ${how} Change ${entry.id} has the rest.`,
        error,
      );
    });
  };

  return {
    folder: storage.folder,
    normalize: (path) => storage.normalize(path),
    allows: (access, path) => storage.allows(access, storage.normalize(path)),
    stat: async (path, { signal } = {}) => {
      signal?.throwIfAborted();
      const normal = storage.normalize(path);
      return (await storage.find(normal)) ?? Promise.reject(await missingPath(storage, normal));
    },
    read: async (path, options = {}) => {
      const { length, maxBytes = MAX_READ, signal, start = 0 } = options;
      if (!Number.isSafeInteger(start) || start < 0)
        throw invalidOption('read', 'start', 'a whole number from 0', start);
      signal?.throwIfAborted();
      const normal = storage.normalize(path);
      storage.check('read', normal);
      return storage.read(normal, { access: 'read', start, length, maxBytes, signal }).catch(withHint(storage, normal));
    },
    list: async (path, options = {}) => {
      options.signal?.throwIfAborted();
      const normal = storage.normalize(path);
      const entries = await storage.list(normal, options).catch(withHint(storage, normal));
      return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    write: (path, content, { ifVersion, mode, signal } = {}) =>
      apply([{ type: 'write', path, content, ifVersion, mode }], signal),
    makeDirectory: (path, { signal } = {}) => apply([{ type: 'makeDirectory', path }], signal),
    move: (from, to, { signal } = {}) => apply([{ type: 'move', from, to }], signal),
    remove: (path, { recursive, signal } = {}) => apply([{ type: 'remove', path, recursive }], signal),
    apply: (edits, { signal } = {}) => apply(edits, signal),
    undoable: () => journal.entries().map(changeOf),
    undo: (options = {}) =>
      exclusive(async () => {
        options.signal?.throwIfAborted();
        const entries = chosen(journal, options);
        refuseDamaged(journal, entries);
        const changes = entries.map(changeOf);
        await checkUndo(storage, entries);
        for (const entry of entries) {
          options.signal?.throwIfAborted();
          await undoEntry(storage, journal, entry);
        }
        return changes;
      }),
    close: () => exclusive(async () => journal.clear()),
  };
}

function withHint(storage: Storage, path: string): (error: unknown) => Promise<never> {
  return async (error) => {
    throw isMissing(error) ? await missingPath(storage, path) : error;
  };
}

function entryOf(journal: Journal, id: string): Entry | undefined {
  return journal.entries().find((entry) => entry.id === id);
}

function chosen(journal: Journal, { id, since }: UndoOptions): readonly Entry[] {
  const all = journal.entries().toReversed();
  if (id !== undefined) {
    const entry = all.find((each) => each.id === id);
    if (entry === undefined) throw toolError(`There is no change ${quote(id)} to take back.`);
    return [entry];
  }
  if (since !== undefined) return all.filter((entry) => since === '' || Number(entry.id) > Number(since));
  const [last] = all;
  if (last === undefined) throw toolError('There is no change to take back.');
  return [last];
}

/** Throws for entries whose log is damaged. They are set aside, so that the changes before them can be taken back. */
function refuseDamaged(journal: Journal, entries: readonly Entry[]): void {
  const damaged = entries.filter(({ isDamaged }) => isDamaged === true);
  for (const { id } of damaged) journal.setAside(id);
  const [first] = damaged;
  if (first === undefined) return;
  const paths = [...new Set(first.steps.map(({ path }) => quote(path)))].slice(0, 5).join(', ');
  throw toolError(
    `The record of change ${quote(first.id)}${paths === '' ? '' : ` (${paths}, …)`} is damaged, so it cannot be taken back. It was set aside: try again for the changes before it.`,
  );
}
