import { isObject } from '@kernel/internal';
import { invalidOption } from '@kernel/protocol';
import type { ServedPrompt } from './prompts.ts';

/** What a server has beside tools. It is read when a client asks for it, and never more than 5 MiB at once. */
export interface ServedContent {
  /** Files, each of which is a resource `workspace:///path`: `visibleFiles` of `@kernel/toolbox/files`. */
  readonly files?: ServedFiles | undefined;
  /**
   * Skills (SEP-2640), each of which is a folder with a `SKILL.md`: `loadSkills(…).files()` of `@kernel/toolbox/skills`. They are served as they are when
   * the server starts: a file that changes later cannot be read any more.
   */
  readonly skills?: ServedSkills | undefined;
  /** Texts that are prepared for the user to choose. Each has a name of its own. */
  readonly prompts?: readonly ServedPrompt[] | undefined;
}

/** Files of a folder, as those who may read them see it. */
export interface ServedFiles {
  /** Yields the path of each file, relative to the folder, with `/`. At most 10,000 are listed. */
  list(signal: AbortSignal): AsyncIterable<string>;
  /** Reads one file. Rejects for every path that `list` would not yield; clients see the message of the error. */
  read(path: string, options: ServedReadOptions): Promise<Uint8Array>;
}

/** How to read a file. */
export interface ServedReadOptions {
  /** Larger files are refused. */
  readonly maxBytes: number;
  /** Aborts the operation. */
  readonly signal: AbortSignal;
}

/** A folder of skills. Paths are relative to it, with `/`; `''` is the folder itself. */
export interface ServedSkills {
  /** Lists what is in a folder. A skill with a link or a device (`unsupported`) is left out. */
  list(folder: string): Promise<readonly ServedSkillEntry[]>;
  /** Reads a file. */
  read(path: string): Promise<Uint8Array>;
}

/** What is in a folder of skills. */
export interface ServedSkillEntry {
  /** Its name, without the folder. */
  readonly name: string;
  /** What it is. */
  readonly kind: 'file' | 'directory' | 'unsupported';
}

/** The most that is read of one resource. */
export const MAX_READ_BYTES = 5 * 1024 * 1024;

export function checkContent(owner: string, content: ServedContent): void {
  const { files, prompts, skills, ...others }: { readonly [name: string]: unknown } = { ...content };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidOption(owner, 'content', 'files, skills and prompts', unknown);
  for (const [name, value] of Object.entries({ files, skills }))
    if (value !== undefined && !hasFunctions(value))
      throw invalidOption(owner, `content.${name}`, '{ list, read }', value);
  if (prompts !== undefined && !(Array.isArray(prompts) && prompts.every(isPrompt)))
    throw invalidOption(owner, 'content.prompts', 'a list of { name, messages }', prompts);
}

function hasFunctions(value: unknown): boolean {
  return isObject(value) && typeof value['list'] === 'function' && typeof value['read'] === 'function';
}

function isPrompt(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { messages, name } = value;
  return typeof name === 'string' && name !== '' && typeof messages === 'function';
}
