import { attempt, visibleText } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { quote, toolError } from '../workspace/errors.ts';
import { createWorkspace, type DirectoryEntry, type Workspace, type AbortOptions } from '../workspace/index.ts';
import { toRules } from './allowed-tools.ts';
import { parseSkill } from './parse-skill.ts';
import { hashOf, listFiles, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Skill, SkillFolder } from './types.ts';
import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

/** The names of the file of a skill, the first one first. */
const SKILL_FILES: readonly string[] = ['SKILL.md', 'skill.md'];
const MAX_SKILL_BYTES = 262_144;
const MAX_READ_BYTES = 32 * 1024 * 1024;

export interface OpenedSkill {
  readonly skill: Skill;
  readonly text: string;
  /** What is not used of it, and why. */
  readonly notes: readonly string[];
  readonly snapshot: Snapshot | undefined;
  files(signal: AbortSignal): Promise<readonly string[]>;
  /** Reads the instructions as they were pinned, or as they are now. */
  readBody(signal: AbortSignal): Promise<string>;
  /** Reads a file as it was pinned, or as it is now. Throws a `changedError` if a pinned file is another one. */
  readFile(path: string, signal: AbortSignal): Promise<Uint8Array>;
  isUnchanged(signal: AbortSignal | undefined): Promise<boolean>;
}

export function changedError(name: string, cause?: unknown): KernelError {
  return new KernelError(
    'TOOL_FAILED',
    `The skill ${quote(name)} has changed since the user approved it, so it cannot be used until it is approved again.`,
    { data: { reason: 'changed' }, cause },
  );
}

export function isChanged(error: unknown): boolean {
  return KernelError.is(error) && error.data?.['reason'] === 'changed';
}

export type Opened = { readonly opened: OpenedSkill } | { readonly errors: readonly string[] };

/** Opens a folder as a skill; `name` is its name in the folder of skills. The errors are the rules that it breaks, or why it cannot be read. */
export async function openSkill(
  folder: string,
  from: SkillFolder['from'],
  { name, signal }: { readonly name: string; readonly signal: AbortSignal | undefined },
): Promise<Opened> {
  try {
    // Every file counts for the hash; what may hold credentials is kept from the model by the tool.
    const workspace = await createWorkspace({
      root: folder,
      denyCredentials: false,
      hardLinks: from === 'user' ? 'read' : 'refuse',
    });
    if (from === 'project' && workspace.folder !== folder) return { errors: ['The folder is a link.'] };
    const skillFile = skillFileOf(await workspace.list('.', { signal }));
    if (skillFile === undefined) return { errors: ['Missing required file: SKILL.md'] };
    const { size } = await workspace.stat(skillFile, { signal });
    if (size > MAX_SKILL_BYTES) return { errors: [`SKILL.md has ${size} bytes; at most ${MAX_SKILL_BYTES} are read.`] };
    const snapshot = from === 'project' ? await takeSnapshot(workspace, [skillFile], signal) : undefined;
    const bytes =
      snapshot?.kept.get(skillFile) ?? (await workspace.read(skillFile, { maxBytes: MAX_SKILL_BYTES, signal })).bytes;
    const text = decode(bytes);
    const { errors, properties, unknown } = await parseSkill(text, name);
    if (properties === undefined) return { errors };
    const files = new Set(snapshot?.files.keys() ?? (await listFiles(workspace, false, signal)));
    const { ignored, rules } = toRules(properties.allowedTools, { folder: workspace.folder ?? folder, files });
    const notes = [...unknown, ...ignored.map((each) => `allowed-tools: ${quote(each)}`)];
    const skill = { ...properties, folder: workspace.folder ?? folder, from, rules };
    return { opened: { skill, text, notes, snapshot, ...accessTo(workspace, skillFile, snapshot, name) } };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { errors: [error instanceof Error ? error.message : 'It cannot be read.'] };
  }
}

export function skillFileOf(entries: readonly DirectoryEntry[]): string | undefined {
  return SKILL_FILES.find((file) => entries.some(({ name, type }) => name === file && type !== 'directory'));
}

function accessTo(
  workspace: Workspace,
  skillFile: string,
  snapshot: Snapshot | undefined,
  folderName: string,
): Pick<OpenedSkill, 'files' | 'isUnchanged' | 'readBody' | 'readFile'> {
  const readFile = async (path: string, signal: AbortSignal): Promise<Uint8Array> => {
    if (snapshot === undefined) return (await workspace.read(path, { maxBytes: MAX_READ_BYTES, signal })).bytes;
    const pinned = snapshot.files.get(path);
    if (pinned === undefined) throw toolError(`There is no ${quote(path)} in the skill.`);
    const bytes = await workspace.read(path, { maxBytes: pinned.size, signal }).then(
      (content) => content.bytes,
      (error: unknown) => {
        signal.throwIfAborted();
        throw changedError(folderName, error);
      },
    );
    // The bytes that are returned are those that are hashed: whatever happens to the file meanwhile.
    if (hashOf(bytes) !== pinned.sha256) throw changedError(folderName);
    return bytes;
  };
  return {
    readFile,
    files: async (signal) =>
      snapshot === undefined ? listFiles(workspace, false, signal) : [...snapshot.files.keys()],
    readBody: async (signal) => {
      const { body, errors } = await parseSkill(decode(await readFile(skillFile, signal)), folderName);
      if (errors[0] !== undefined) throw toolError(`The skill cannot be used any more: ${errors[0]}`);
      return body;
    },
    isUnchanged: async (signal) => {
      if (snapshot === undefined) return true;
      try {
        return (await takeSnapshot(workspace, [], signal)).sha256 === snapshot.sha256;
      } catch {
        signal?.throwIfAborted();
        return false;
      }
    },
  };
}

function decode(bytes: Uint8Array): string {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (text === undefined || text.includes('\0')) throw toolError('SKILL.md is not UTF-8 text.');
  return text;
}

export function oneLine(text: string): string {
  return visibleText(text.replaceAll(/\s+/g, ' ').trim());
}

export interface SkillsInUse {
  /** The skill of a name, in its normal form; undefined if it is not offered. */
  find(name: string): OpenedSkill | undefined;
  names(): readonly string[];
  active(): readonly OpenedSkill[];
  use(opened: OpenedSkill): void;
  /** Takes a skill that has changed out of what is offered and used. */
  drop(opened: OpenedSkill): void;
}

const MAX_BYTES = 262_144;

/**
 * Checks a folder against the Agent Skills specification, as strictly as its reference library: resolves to every violation, unknown fields included;
 * none for a valid skill.
 */
export async function validateSkill(folder: string, { signal }: AbortOptions = {}): Promise<readonly string[]> {
  const there = statSync(folder, { throwIfNoEntry: false });
  if (there === undefined) return [`Path does not exist: ${quote(folder)}`];
  if (!there.isDirectory()) return [`Not a directory: ${quote(folder)}`];
  try {
    const workspace = await createWorkspace({ root: folder, denyCredentials: false, hardLinks: 'read' });
    const file = skillFileOf(await workspace.list('.', { signal }));
    if (file === undefined) return ['Missing required file: SKILL.md'];
    const { bytes } = await workspace.read(file, { maxBytes: MAX_BYTES, signal });
    const { errors, unknown } = await parseSkill(new TextDecoder().decode(bytes), basename(resolve(folder)));
    return [...unknown, ...errors];
  } catch (error) {
    signal?.throwIfAborted();
    return [error instanceof Error ? error.message : 'SKILL.md cannot be read.'];
  }
}
