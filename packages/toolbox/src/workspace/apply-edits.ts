import { missingPath } from './missing-path.ts';
import { quote, toolError } from './errors.ts';
import type { Journal } from './journal/journal.ts';
import { joinPath, lineage, parentOf } from './paths.ts';
import type { Storage } from './storage.ts';
import type { Edit, FileInfo } from './types.ts';

const MAX_KEPT = 2 ** 31 - 1;
const MAX_ENTRIES = 100_000;

export interface Draft {
  readonly storage: Storage;
  readonly journal: Journal;
  readonly id: string;
  readonly signal: AbortSignal | undefined;
  letEventsRun(): Promise<void>;
}

/** Makes one edit, and notes each of its steps before it is done. */
export async function applyEdit(draft: Draft, edit: Edit): Promise<void> {
  draft.signal?.throwIfAborted();
  const normalize = (path: string) => draft.storage.normalize(path);
  if (edit.type === 'write') await writeFile(draft, normalize(edit.path), edit);
  else if (edit.type === 'makeDirectory') await makeDirectory(draft, normalize(edit.path));
  else if (edit.type === 'move') await move(draft, normalize(edit.from), normalize(edit.to));
  else await remove(draft, normalize(edit.path), edit.recursive === true);
}

async function writeFile(draft: Draft, asked: string, edit: Edit & { readonly type: 'write' }): Promise<void> {
  const { id, journal, signal, storage } = draft;
  storage.check('write', asked);
  const before = await storage.find(asked);
  if (before !== undefined && before.type !== 'file')
    throw toolError(`${quote(asked)} ${before.type === 'directory' ? 'is a folder' : 'is not a file'}.`);
  checkVersion(asked, before, edit.ifVersion);
  // A new file takes its name, so the system itself would not refuse it.
  if (before !== undefined && edit.mode === undefined && (before.mode & 0o200) === 0)
    throw toolError(
      `${quote(asked)} is read-only (mode ${before.mode.toString(8)}); nothing was written. If it is meant to change, make it writable first: ["chmod","u+w",PATH].`,
    );
  if (before === undefined && (await storage.find(asked, { entry: true })) !== undefined)
    throw toolError(`${quote(asked)} is a link that leads nowhere; nothing was written.`);
  const path = before?.path ?? asked;
  await makeFolders(draft, path);
  const bytes = typeof edit.content === 'string' ? new TextEncoder().encode(edit.content) : edit.content;
  const kept = before === undefined ? undefined : await keep(draft, before);
  const step = await journal.note(
    id,
    {
      what: before === undefined ? 'created' : 'changed',
      path,
      ...(before === undefined ? {} : { before: brief(before) }),
    },
    kept,
  );
  const onVersion = (version: string) => journal.done(id, step, version);
  await storage.replace(path, bytes, { before, mode: edit.mode, signal, onVersion });
}

function checkVersion(path: string, before: FileInfo | undefined, expected: string | undefined): void {
  if (expected === undefined || expected === (before?.version ?? 'absent')) return;
  throw toolError(
    expected === 'absent'
      ? `${quote(path)} exists already; nothing was written.`
      : `${quote(path)} ${before === undefined ? 'is gone' : 'changed'} since it was read; nothing was written. Read it again.`,
  );
}

async function keep({ signal, storage }: Draft, before: FileInfo): Promise<Uint8Array> {
  const content = await storage.read(before.path, {
    access: 'write',
    start: 0,
    length: undefined,
    maxBytes: MAX_KEPT,
    signal,
  });
  if (content.version === before.version) return content.bytes;
  throw toolError(`${quote(before.path)} changed meanwhile; nothing was written. Read it again.`);
}

function brief({ mode, version }: FileInfo): Pick<FileInfo, 'mode' | 'version'> {
  return { mode, version };
}

async function makeFolders({ id, journal, storage }: Draft, path: string): Promise<void> {
  for (const folder of lineage(parentOf(path))) {
    if (folder === '.' || (await storage.find(folder)) !== undefined) continue;
    await journal.note(id, { what: 'directory-made', path: folder });
    await storage.makeFolder(folder, { holds: path.slice(folder.length + 1) });
  }
}

async function makeDirectory(draft: Draft, path: string): Promise<void> {
  draft.storage.check('write', path);
  const there = await draft.storage.find(path);
  if (there?.type === 'directory') return;
  if (there !== undefined) throw toolError(`${quote(path)} is a file, not a folder.`);
  await makeFolders(draft, path);
  await draft.journal.note(draft.id, { what: 'directory-made', path });
  await draft.storage.makeFolder(path);
}

async function move(draft: Draft, from: string, to: string): Promise<void> {
  const { id, journal, storage } = draft;
  storage.check('read', from);
  storage.check('write', from);
  storage.check('write', to);
  if (from === '.') throw toolError('The root of the workspace itself cannot be moved.');
  if (to === from || to.startsWith(`${from}/`)) throw toolError(`${quote(from)} cannot be moved into itself.`);
  const there = await storage.find(from, { entry: true });
  if (there === undefined) throw await missingPath(storage, from);
  if ((await storage.find(to, { entry: true })) !== undefined)
    throw toolError(`${quote(to)} exists already; nothing was moved.`);
  // Rules are about places: a link on the way gives each of them a second name.
  const source = there.path;
  const target = await placeOf(storage, to);
  const check = async (path: string, isFile: boolean): Promise<void> => {
    const moved = target + path.slice(source.length);
    storage.check('read', path);
    storage.check('write', path);
    storage.check('write', moved);
    if (isFile && isPackage(moved) && !isPackage(path)) await checkReadable(draft, path);
  };
  await check(source, there.type === 'file');
  if (there.type === 'directory')
    for await (const { path, type } of entriesBelow(draft, source, { left: MAX_ENTRIES }))
      await check(path, type === 'file');
  await makeFolders(draft, target);
  await journal.note(id, { what: 'moved', path: source, to: target });
  await storage.rename(source, target);
}

/** Where a path that does not exist would be: below the nearest folder that does, without links. */
async function placeOf(storage: Storage, path: string): Promise<string> {
  for (const folder of lineage(parentOf(path)).toReversed()) {
    const there = folder === '.' ? undefined : await storage.find(folder);
    if (there !== undefined) return joinPath(there.path, path.slice(folder.length + 1));
  }
  return path;
}

function isPackage(path: string): boolean {
  return path.split('/').includes('node_modules');
}

/** Throws for a file that may not be read where it is, so that it may not be read where it is moved either. */
async function checkReadable({ signal, storage }: Draft, path: string): Promise<void> {
  await storage.read(path, { access: 'read', start: 0, length: 0, maxBytes: 0, signal });
}

async function remove(draft: Draft, path: string, isRecursive: boolean): Promise<void> {
  const { id, journal, storage } = draft;
  storage.check('write', path);
  if (path === '.') throw toolError('The root of the workspace itself cannot be removed.');
  const there = await storage.find(path, { entry: true });
  if (there === undefined) throw await missingPath(storage, path);
  if (there.type !== 'directory') return removeEntry(draft, path, there);
  const below: Below[] = [];
  for await (const entry of entriesBelow(draft, path, { left: MAX_ENTRIES })) {
    if (!isRecursive)
      throw toolError(`${quote(path)} is a folder that is not empty; remove it with all that is in it, or not.`);
    storage.check('write', entry.path);
    below.push(entry);
  }
  for (const entry of [...below.toReversed(), { path, type: 'directory' }]) {
    await draft.letEventsRun();
    draft.signal?.throwIfAborted();
    const now = await storage.find(entry.path, { entry: true });
    if (now === undefined) continue;
    if (entry.type !== 'directory') await removeEntry(draft, entry.path, now);
    else {
      await journal.note(id, { what: 'directory-removed', path: entry.path, before: brief(now) });
      await storage.removeFolder(entry.path);
    }
  }
}

async function removeEntry(draft: Draft, path: string, there: FileInfo): Promise<void> {
  const { id, journal, storage } = draft;
  if (there.type === 'link')
    await journal.note(id, { what: 'link-removed', path, target: await storage.readLink(path) });
  else if (there.type !== 'file') throw toolError(`${quote(path)} is not a file.`);
  else await journal.note(id, { what: 'removed', path, before: brief(there) }, await keep(draft, { ...there, path }));
  await storage.removeFile(path);
}

interface Below {
  readonly path: string;
  readonly type: FileInfo['type'];
}

async function* entriesBelow(draft: Draft, folder: string, budget: { left: number }): AsyncGenerator<Below> {
  for (const { name, type } of await draft.storage.list(folder, {})) {
    await draft.letEventsRun();
    draft.signal?.throwIfAborted();
    budget.left -= 1;
    if (budget.left < 0) throw toolError(`${quote(folder)} holds more than ${MAX_ENTRIES} files; nothing was changed.`);
    const path = joinPath(folder, name);
    yield { path, type };
    if (type === 'directory') yield* entriesBelow(draft, path, budget);
  }
}
