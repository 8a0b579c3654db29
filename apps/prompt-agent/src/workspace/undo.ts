import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage, processExists, sha256Hex } from '@kernel/internal';
import type { Change, Workspace } from '@kernel/toolbox/workspace';
import { stateFolder } from '../config/folders.ts';
import type { Host } from '../host.ts';

/**
 * Undoes the changes of a workspace after the one with the id `since`, the last one first. A file that was changed since is left as it is, and
 * named; the others are undone all the same.
 */
export async function undoChanges(workspace: Workspace, since = '') {
  const changes: Change[] = [];
  /** Why others were not: one sentence each, with the path. */
  const refused: string[] = [];
  const ids = workspace
    .undoable()
    .map(({ id }) => id)
    .filter((id) => Number(id) > Number(since));
  for (const id of ids.toReversed()) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- in order: a change may depend on the one before it
      changes.push(...(await workspace.undo({ id })));
    } catch (error) {
      refused.push(errorMessage(error));
    }
  }
  return { changes, refused };
}

export type Undone = Awaited<ReturnType<typeof undoChanges>>;

export function undoneLines(changes: readonly Change[]): readonly string[] {
  return changes.flatMap(({ paths }) => paths.map(({ path, what, to }) => sentence(path, what, to)));
}

function sentence(path: string, what: Change['paths'][number]['what'], to = ''): string {
  switch (what) {
    case 'created':
      return `removed again: ${path}`;
    case 'changed':
      return `restored: ${path}`;
    case 'removed':
    case 'directory-removed':
      return `there again: ${path}`;
    case 'moved':
      return `moved back: ${to} to ${path}`;
    case 'directory-made':
      return `removed again: ${path}/`;
  }
}

/** How many runs of a workspace that have ended can be taken back, one after the other. */
const KEPT_RUNS = 5;

/** The folder in which the runs of a workspace keep what they replaced: below the state folder, by a digest of the workspace's path. */
export function undoFolder(host: Pick<Host, 'env' | 'home'>, workspace: string): string {
  return join(stateFolder(host), 'undo', sha256Hex(workspace).slice(0, 32));
}

/** Returns the folders of the runs that changed something, the last one first. */
export async function runFolders(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const runs = names
    .filter((name) => /^\d{13,}-\d+$/.test(name))
    .toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  return runs.map((name) => join(folder, name));
}

/** The folders of the runs of this process that have not ended. */
const open = new Set<string>();
let lastMs = 0;

/** Begins a run, whose folder is made at its first change, and removes those of runs that ended too long ago. `end` is called when the run has ended. */
export async function beginRun(folder: string): Promise<{ readonly folder: string; readonly end: () => void }> {
  const ended = (await runFolders(folder)).filter((run) => !isOpen(run));
  for (const each of ended.slice(KEPT_RUNS - 1))
    await rm(each, { recursive: true, force: true }).catch(() => undefined);
  // Several may begin at once.
  lastMs = Math.max(Date.now(), lastMs + 1);
  const run = join(folder, `${lastMs}-${process.pid}`);
  open.add(run);
  return { folder: run, end: () => void open.delete(run) };
}

/** Whether a run may not have ended. One whose process has is over. */
function isOpen(run: string): boolean {
  const pid = Number(run.split('-').at(-1));
  return pid === process.pid ? open.has(run) : processExists(pid);
}
