import type { AbortOptions } from '../workspace/index.ts';
import type { ToolWithHandler } from '@kernel/protocol';
import type { PermissionOptions, PermissionRule, Permissions } from '../permissions/index.ts';

/** A folder of skills, each of which is a folder with a `SKILL.md`. */
export interface SkillFolder {
  /** The folder. One that does not exist has no skills. */
  readonly path: string;
  /** Whose it is. The user's own skills are trusted; those of a project need the user's approval, which is pinned. */
  readonly from: 'user' | 'project';
}

/** The front matter of a `SKILL.md`. */
export interface SkillProperties {
  /** The name in Unicode normalization form KC, which is also that of the folder. */
  readonly name: string;
  /** What the skill does and when to use it. */
  readonly description: string;
  /** Its license. */
  readonly license?: string;
  /** What it needs. */
  readonly compatibility?: string;
  /** Anything else, by key. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The tools that it asks to use without approval, as written. */
  readonly allowedTools: readonly string[];
}

/** A skill that is offered. */
export interface Skill extends SkillProperties {
  /** Its folder: absolute, without links. */
  readonly folder: string;
  /** Whose it is. */
  readonly from: SkillFolder['from'];
  /** The permission rules that follow from `allowed-tools`. */
  readonly rules: readonly PermissionRule[];
}

/** A problem with a skill: why it is not offered, or which part of it is not used. */
export interface SkillProblem {
  /** The folder of the skill, or the folder of skills. */
  readonly folder: string;
  /** What is wrong, in one sentence; invisible characters are escaped. */
  readonly message: string;
}

/** A request to use a project's skill. An approval covers exactly this content. */
export interface SkillRequest {
  /** Its name. */
  readonly name: string;
  /** Its description, with invisible characters escaped. */
  readonly description: string;
  /** Its folder. */
  readonly folder: string;
  /** Whether there was no decision yet, or it has changed since the last one. */
  readonly change: 'new' | 'changed';
  /** The whole `SKILL.md`, with invisible characters escaped. */
  readonly text: string;
  /** Its files, by path. */
  readonly files: readonly {
    /** The path relative to the skill's folder, with invisible characters escaped. */
    readonly path: string;
    /** The size in bytes. */
    readonly size: number;
  }[];
  /** What it may do without asking while it is in use. */
  readonly rules: readonly PermissionRule[];
  /** The SHA-256 of its files, in hexadecimal. */
  readonly sha256: string;
}

/** A decision on the content of a skill. */
export interface SkillPin {
  /** The SHA-256 of the files that were decided on. */
  readonly sha256: string;
  /** Whether the skill may be used. */
  readonly allowed: boolean;
}

/** Where decisions on skills are stored, by the skill's folder. `skillPins` stores them in a file. */
export interface SkillPins {
  /** The decision on a skill; undefined if there is none. */
  find(folder: string): Promise<SkillPin | undefined>;
  /** Stores a decision in place of an earlier one. */
  save(folder: string, pin: SkillPin): Promise<void>;
}

/** Options of `loadSkills`. */
export interface LoadSkillsOptions extends AbortOptions {
  /** The folders of skills. Of two skills with one name, the one in the earlier folder is offered. */
  readonly folders: readonly SkillFolder[];
  /** Asks the user about a project's skill; true to use it. Without it, skills that no pin allows are not offered. */
  readonly approve?: ((request: SkillRequest) => boolean | Promise<boolean>) | undefined;
  /** Stores the answers. Default: they are used for this call only. */
  readonly pins?: SkillPins | undefined;
}

/** The files of skills: a folder for each, by its name. Paths are relative, with `/`; `''` is the folder of the skills. */
export interface SkillFiles {
  /** Lists what is in a folder. Links are left out. */
  list(folder: string): Promise<readonly SkillFileEntry[]>;
  /** Reads a file. Rejects for one that is not listed, and for one of a project that has changed since it was approved. */
  read(path: string): Promise<Uint8Array>;
}

/** A file or folder of a skill. */
export interface SkillFileEntry {
  /** Its name, without the folder. */
  readonly name: string;
  /** What it is. */
  readonly kind: 'file' | 'directory';
}

/** The skills that a model can use in one conversation, and which of them are in use. */
export interface Skills {
  /** The tool `skill`; undefined if there are no skills to offer. */
  readonly tool: ToolWithHandler | undefined;
  /** Why skills are not offered, and which parts of them are not used. */
  readonly problems: readonly SkillProblem[];
  /** The skills on offer, without those that were found to have changed. */
  list(): readonly Skill[];
  /** The names and descriptions of the skills on offer, for the system prompt; empty if there are none. */
  prompt(): string;
  /** The files of the skills on offer, to serve them to others, without those that may hold credentials. Reading is as for the model. */
  files(): SkillFiles;
  /** The names of the skills that the model has loaded. */
  inUse(): readonly string[];
  /** Ends the use of a skill, or of all, and revokes what it was allowed. */
  release(name?: string): void;
  /**
   * Creates a policy like `permissions`, in which the rules of the skills in use apply to calls that no rule of the policy matches. Before such a
   * call is approved, the files of a project's skill are compared with what the user approved.
   */
  permissions(rules: readonly PermissionRule[], options?: PermissionOptions): Permissions;
}
