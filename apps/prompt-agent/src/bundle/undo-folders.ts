import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder } from '../config/folders.ts';
import type { Host } from '../host.ts';

/** How many runs of a workspace can be taken back, one after the other. */
const KEPT_RUNS = 5;

/** The folder in which the runs of a workspace keep what they replaced: below the state folder, by a digest of the workspace's path. */
export function undoFolder(host: Pick<Host, 'env' | 'home'>, workspace: string): string {
  return join(stateFolder(host), 'undo', createHash('sha256').update(workspace).digest('hex').slice(0, 32));
}

/** Returns the folders of the runs that changed something, the last one first. */
export async function runFolders(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const runs = names
    .filter((name) => /^\d{13,}-\d+$/.test(name))
    .toSorted((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10));
  return runs.map((name) => join(folder, name));
}

/** Returns the folder of a new run, which is made at its first change, and removes those of runs that are too long ago. */
export async function newRunFolder(folder: string): Promise<string> {
  const old = (await runFolders(folder)).slice(KEPT_RUNS - 1);
  for (const each of old) await rm(each, { recursive: true, force: true }).catch(() => undefined);
  return join(folder, `${Date.now()}-${process.pid}`);
}
