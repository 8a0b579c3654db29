import { visibleText } from '@kernel/internal';
import { checkChoice, checkFunctions, checkKeys, invalidOption, optionKeys } from '@kernel/protocol';
import { oneLine, type OpenedSkill, openSkill, skillFileOf } from './open-skill.ts';
import { memorySkillPins } from './pins.ts';
import { createSkills } from './skills.ts';
import type { LoadSkillsOptions, SkillFolder, SkillPins, SkillProblem, SkillRequest, Skills } from './types.ts';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../workspace/errors.ts';
import { createWorkspace, type DirectoryEntry } from '../workspace/index.ts';

const KEYS = optionKeys<LoadSkillsOptions>({ folders: true, approve: true, pins: true, signal: true });
const FOLDER_KEYS = optionKeys<SkillFolder>({ path: true, from: true });

/**
 * Loads the skills of folders: checks each one against the Agent Skills specification, and asks about those of a project that the user has not
 * decided on yet, or that have changed since. A skill that breaks a rule, is not approved or has the name of an earlier one is not offered, and
 * `problems` says why; fields that the specification does not define are only reported. Runs no programs.
 *
 * Throws `CONFIG_INVALID` for invalid options, and whatever `approve` throws.
 *
 * @example
 * ```ts
 * import { loadSkills } from '@kernel/toolbox/skills';
 *
 * const skills = await loadSkills({ folders: [{ path: 'skills', from: 'user' }] });
 * ```
 */
export async function loadSkills(options: LoadSkillsOptions): Promise<Skills> {
  checkKeys('loadSkills', options, KEYS);
  const { approve, folders, pins = memorySkillPins(), signal } = options;
  checkFunctions('loadSkills', { approve });
  checkFolders(folders);

  const offered = new Map<string, OpenedSkill>();
  const problems: SkillProblem[] = [];
  const report = (folder: string, message: string): void =>
    void problems.push({ folder: oneLine(folder), message: oneLine(message) });
  for (const given of folders)
    for (const found of await findSkills(given, signal)) {
      if ('problem' in found) {
        report(found.folder, found.problem);
        continue;
      }
      signal?.throwIfAborted();
      const result = await openSkill(found.folder, given.from, { name: found.name, signal });
      if ('errors' in result) {
        for (const error of result.errors) report(found.folder, error);
        continue;
      }
      const { opened } = result;
      const { name } = opened.skill;
      const other = offered.get(name);
      if (other !== undefined) {
        report(found.folder, `The skill "${name}" of ${other.skill.folder} is offered instead.`);
        continue;
      }
      const refusal = await refusalOf(opened, pins, approve);
      if (refusal !== undefined) report(found.folder, refusal);
      else offered.set(name, opened);
      for (const note of opened.notes) report(found.folder, note);
    }
  return createSkills([...offered.values()], problems);
}

async function refusalOf(
  opened: OpenedSkill,
  pins: SkillPins,
  approve: LoadSkillsOptions['approve'],
): Promise<string | undefined> {
  const { skill, snapshot } = opened;
  if (snapshot === undefined) return undefined;
  const pin = await pins.find(skill.folder);
  const change = pin === undefined ? 'new' : 'changed';
  if (pin?.sha256 === snapshot.sha256)
    return pin.allowed ? undefined : `The skill "${skill.name}" is not offered: you decided against it.`;
  if (approve === undefined)
    return `The skill "${skill.name}" of the project is ${change} and was not approved yet, so it is not offered.`;
  const allowed = await approve(requestFor(opened, snapshot, change));
  await pins.save(skill.folder, { sha256: snapshot.sha256, allowed });
  return allowed ? undefined : `The skill "${skill.name}" is not offered: you decided against it.`;
}

function requestFor(
  { skill, text }: OpenedSkill,
  { files, sha256 }: NonNullable<OpenedSkill['snapshot']>,
  change: SkillRequest['change'],
): SkillRequest {
  return {
    name: skill.name,
    description: oneLine(skill.description),
    folder: skill.folder,
    change,
    text: visibleText(text),
    files: Array.from(files, ([path, { size }]) => ({ path: oneLine(path), size })),
    rules: skill.rules,
    sha256,
  };
}

function checkFolders(folders: unknown): void {
  if (!Array.isArray(folders)) throw invalidOption('loadSkills', 'folders', 'a list of { path, from }', folders);
  for (const [index, folder] of folders.entries()) checkFolder(index, folder);
}

function checkFolder(index: number, folder: unknown): void {
  const name = `folders[${index}]`;
  if (typeof folder !== 'object' || folder === null) throw invalidOption('loadSkills', name, '{ path, from }', folder);
  checkKeys('loadSkills', folder, FOLDER_KEYS, `${name}.`);
  const { from, path } = { from: undefined, path: undefined, ...folder };
  if (typeof path !== 'string' || path === '') throw invalidOption('loadSkills', `${name}.path`, 'a folder', path);
  if (from === undefined) throw invalidOption('loadSkills', `${name}.from`, '"user" or "project"', from);
  checkChoice('loadSkills', `${name}.from`, from, ['user', 'project']);
}

const MAX_SKILLS = 200;
const MAX_ENTRIES = 2000;

type Found = { readonly folder: string; readonly name: string } | { readonly folder: string; readonly problem: string };

/** Finds the folders with a `SKILL.md` in a folder of skills, by name. A folder that is not there has none; links count in the user's own folders only. */
async function findSkills({ from, path }: SkillFolder, signal: AbortSignal | undefined): Promise<readonly Found[]> {
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
