import { constants } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Copy, stateInWorkspace, stateOnDisk } from '../copy/copy-folder.ts';
import type { AgentWorkspace, WorkspaceEdit } from '../options.ts';
import type { TextChange } from './patch.ts';

/** What an agent changed in its copy. */
export interface Changes {
  /** What can be brought back, in the order of paths. */
  readonly changes: readonly FileChange[];
  /** What cannot, in sentences that name it. */
  readonly left: readonly string[];
}

/** One file that was changed. */
export interface FileChange extends TextChange {
  /** The state of the file in the workspace that the change is for; undefined for a new one. */
  readonly state: string | undefined;
  /** What makes it. */
  readonly edit: WorkspaceEdit;
}

/** What stays in the copy without being named one by one: the history of a repository, and what a package manager installed. */
const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_FILE = 16 * 1024 ** 2;
const MAX_ENTRIES = 500_000;
const MAX_NAMED = 20;

/** Compares a copy with what was copied, and with the workspace as it is now. */
export async function findChanges(workspace: AgentWorkspace, copy: Copy, signal: AbortSignal): Promise<Changes> {
  const changes: FileChange[] = [];
  const left = new Map<string, string[]>();
  const leave = (why: string, path: string): void => void left.set(why, [...(left.get(why) ?? []), path]);
  const found = await filesIn(copy, leave, signal);
  const missing = [...copy.files.keys()].filter((path) => !found.has(path) && !isSkipped(path));
  const gone: string[] = [];
  for (const path of missing)
    // oxlint-disable-next-line no-await-in-loop -- there are few
    if (await isGone(join(copy.folder, path))) gone.push(path);
    else leave(UNREADABLE, path);
  for (const path of gone) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- one file at a time is held in memory
    const change = await removalOf(workspace, copy, path);
    if (typeof change === 'string') leave(change, path);
    else if (change !== undefined) changes.push(change);
  }
  for (const path of found) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- as above
    const change = await changeOf(workspace, copy, path, signal);
    if (typeof change === 'string') leave(change, path);
    else if (change !== undefined) changes.push(change);
  }
  return {
    changes: changes.toSorted((one, other) => (one.path < other.path ? -1 : 1)),
    left: [...left].map(([why, paths]) => `${why}: ${named(paths)}.`),
  };
}

const UNREADABLE = 'Not looked at, because it cannot be read';
const NOT_ALLOWED = 'Not brought back, because the rules do not let it be written';
const CONFLICT = 'Not brought back, because it has changed in the workspace meanwhile';
const NOT_TEXT = 'Not brought back, because it is not text that a diff can show';
const ODD_NAME = 'Not brought back, because its name cannot stand in a diff';

async function removalOf(
  workspace: AgentWorkspace,
  copy: Copy,
  path: string,
): Promise<FileChange | string | undefined> {
  const now = await stateInWorkspace(workspace, path);
  if (now === undefined) return undefined;
  if (!workspace.allows('write', path)) return NOT_ALLOWED;
  if (now.state !== copy.files.get(path)?.original) return CONFLICT;
  if (isOdd(path)) return ODD_NAME;
  const before = await readText(workspace, path);
  return { path, before: before?.text ?? '', after: undefined, state: now.state, edit: { type: 'remove', path } };
}

async function changeOf(
  workspace: AgentWorkspace,
  copy: Copy,
  path: string,
  signal: AbortSignal,
): Promise<FileChange | string | undefined> {
  const known = copy.files.get(path);
  const copied = join(copy.folder, path);
  if (known !== undefined && (await stateOnDisk(copied).catch(() => known.copied)) === known.copied) return undefined;
  const after = await readCopied(copied);
  if (after === undefined) return NOT_TEXT;
  const now = await stateInWorkspace(workspace, path);
  const before = now === undefined ? undefined : await readText(workspace, path, signal);
  const isSameText = before !== undefined && Buffer.compare(before.bytes, after.bytes) === 0;
  if (isSameText && (before.mode & 0o111) === (after.mode & 0o111)) return undefined;
  if (!workspace.allows('write', path)) return NOT_ALLOWED;
  if (now?.state !== known?.original || (now !== undefined && before === undefined)) return CONFLICT;
  if (after.text === undefined || (before !== undefined && before.text === undefined)) return NOT_TEXT;
  if (isOdd(path)) return ODD_NAME;
  return {
    path,
    before: before?.text,
    after: after.text,
    state: now?.state,
    edit: {
      type: 'write',
      path,
      content: after.bytes,
      ifVersion: before?.version ?? 'absent',
      mode: before === undefined || (before.mode & 0o111) !== (after.mode & 0o111) ? after.mode & 0o755 : before.mode,
    },
  };
}

/** The paths of the files of a copy, sorted. Links that are new or lead elsewhere are named and left. */
async function filesIn(
  copy: Copy,
  leave: (why: string, path: string) => void,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const files: string[] = [];
  const folders = [''];
  let count = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    signal.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- the files of a folder that it made unreadable are not gone, see `isGone`
    const entries = await readdir(join(copy.folder, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      count += 1;
      if (count > MAX_ENTRIES) {
        leave(`Not looked at, because there are more than ${MAX_ENTRIES} files`, path);
        return new Set(files.toSorted());
      }
      if (entry.isDirectory()) {
        if (!isSkipped(path)) folders.push(path);
      } else if (entry.isFile()) files.push(path);
      else if (entry.isSymbolicLink()) {
        // oxlint-disable-next-line no-await-in-loop -- there are few
        const target = await readlink(join(copy.folder, path)).catch(() => '');
        if (copy.links.get(path) !== target) leave('Not brought back, because it is a link', path);
      } else leave(NOT_TEXT, path);
    }
  }
  return new Set(files.toSorted());
}

/** Whether nothing is at a path: a folder that was not listed says nothing about its files. */
async function isGone(path: string): Promise<boolean> {
  const problem = await lstat(path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  );
  return problem === 'ENOENT' || problem === 'ENOTDIR';
}

function isSkipped(path: string): boolean {
  return path.split('/').some((name) => SKIPPED.has(name));
}

/** Whether a path could be taken for something else in a patch. */
function isOdd(path: string): boolean {
  return path !== path.trim() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) || !path.isWellFormed();
}

interface ReadFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** Undefined if it is not text. */
  readonly text: string | undefined;
}

async function readText(
  workspace: AgentWorkspace,
  path: string,
  signal?: AbortSignal,
): Promise<(ReadFile & { readonly version: string }) | undefined> {
  const file = await workspace.read(path, { signal, maxBytes: MAX_FILE }).catch(() => undefined);
  return file && { bytes: file.bytes, mode: file.mode, version: file.version, text: textOf(file.bytes) };
}

async function readCopied(path: string): Promise<ReadFile | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const info = await file.stat();
    if (!info.isFile() || info.size > MAX_FILE) return undefined;
    const bytes = await file.readFile();
    return { bytes, mode: info.mode, text: textOf(bytes) };
  } finally {
    await file.close();
  }
}

/** The bytes as text, if that says all of them. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  return `${shown.join(', ')}${paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : ''}`;
}
