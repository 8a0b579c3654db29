import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../workspace/errors.ts';
import { createWorkspace, type DirectoryEntry } from '../workspace/index.ts';
import { skillFileOf } from './open-skill.ts';
import type { SkillFolder } from './types.ts';

const MAX_SKILLS = 200;
const MAX_ENTRIES = 2000;

export type Found =
  | { readonly folder: string; readonly name: string }
  | { readonly folder: string; readonly problem: string };

/** Finds the folders with a `SKILL.md` in a folder of skills, by name. A folder that is not there has none; links count in the user's own folders only. */
export async function findSkills(
  { from, path }: SkillFolder,
  signal: AbortSignal | undefined,
): Promise<readonly Found[]> {
  const parent = realFolder(path);
  if (parent === undefined) return [];
  if (typeof parent !== 'string') return [{ folder: path, problem: parent.problem }];
  const found: Found[] = [];
  const entries = await listFolder(parent, signal);
  if ('problem' in entries) return [{ folder: parent, ...entries }];
  if (entries.length > MAX_ENTRIES)
    return [{ folder: parent, problem: `The folder has more than ${MAX_ENTRIES} entries; it is not looked at.` }];
  for (const { name, type } of entries) {
    const folder = join(parent, name);
    const isLinked = type === 'link' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
    if ((type !== 'directory' && !isLinked) || name === 'node_modules' || name.startsWith('.')) continue;
    if (isLinked && from === 'project') {
      found.push({ folder, problem: 'The folder is a link; skills of a project may not be linked.' });
      continue;
    }
    if (found.length >= MAX_SKILLS)
      return [...found, { folder: parent, problem: `Only ${MAX_SKILLS} skills of it are used.` }];
    const own = await listFolder(folder, signal);
    if ('problem' in own) found.push({ folder, problem: own.problem });
    else if (skillFileOf(own) !== undefined) found.push({ folder, name });
  }
  return found;
}

async function listFolder(
  folder: string,
  signal: AbortSignal | undefined,
): Promise<readonly DirectoryEntry[] | { readonly problem: string }> {
  try {
    return await (await createWorkspace({ root: folder, denyCredentials: false })).list('.', { signal });
  } catch (error) {
    signal?.throwIfAborted();
    return { problem: error instanceof Error ? error.message : 'The folder cannot be listed.' };
  }
}

function realFolder(path: string): string | { readonly problem: string } | undefined {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : { problem: 'It is not a folder.' };
  } catch (error) {
    return { problem: `The folder cannot be used: ${reasonOf(error)}.` };
  }
}
