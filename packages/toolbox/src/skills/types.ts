import type { AbortOptions } from '../workspace/index.ts';
import type { ToolImplementation } from '@kernel/protocol';
import type { PermissionOptions, PermissionRule, Permissions } from '../permissions/index.ts';

/** A folder that has skills in it, each a folder with a `SKILL.md`. */
export interface SkillFolder {
  /** The folder. One that does not exist has no skills. */
  readonly path: string;
  /** Whose it is. The user's own skills are trusted; those that came with a project are asked about and pinned. */
  readonly from: 'user' | 'project';
}

/** What the head of a `SKILL.md` says. */
export interface SkillProperties {
  /** The name, in its normal form; that of the folder. */
  readonly name: string;
  /** What the skill does and when to use it. */
  readonly description: string;
  /** Its license. */
  readonly license?: string;
  /** What it needs. */
  readonly compatibility?: string;
  /** Anything else, by key. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The tools that it wants to use without a question, as they are written. */
  readonly allowedTools: readonly string[];
}

/** A skill that is offered. */
export interface Skill extends SkillProperties {
  /** Its folder: absolute, without links. */
  readonly folder: string;
  /** Whose it is. */
  readonly from: SkillFolder['from'];
  /** The rules that `allowed-tools` comes to. */
  readonly rules: readonly PermissionRule[];
}

/** Something about a skill that its user should know: why it is not offered, or what of it is not used. */
export interface SkillProblem {
  /** The folder of the skill, or the folder of skills. */
  readonly folder: string;
  /** What is wrong, in one sentence; unseen characters are escaped. */
  readonly message: string;
}

/** A question whether a project's skill may be used. What is approved is exactly this content. */
export interface SkillRequest {
  /** Its name. */
  readonly name: string;
  /** Its description, with unseen characters escaped. */
  readonly description: string;
  /** Its folder. */
  readonly folder: string;
  /** Whether it was never asked about, or differs from what was decided on. */
  readonly change: 'new' | 'changed';
  /** The whole `SKILL.md`, with unseen characters escaped. */
  readonly text: string;
  /** Its files, by path. */
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** What it will be allowed to do without a question while it is in use. */
  readonly rules: readonly PermissionRule[];
  /** The SHA-256 of its files, in hexadecimal. */
  readonly sha256: string;
}

/** A decision on the content of a skill. */
export interface SkillPin {
  /** The SHA-256 of the files that it was made on. */
  readonly sha256: string;
  /** Whether the skill may be used. */
  readonly allowed: boolean;
}

/** Where decisions on skills are kept, by the skill's folder. `skillPins` keeps them in a file. */
export interface SkillPins {
  /** The decision on a skill; undefined if there is none. */
  find(folder: string): Promise<SkillPin | undefined>;
  /** Keeps a decision in place of an earlier one. */
  save(folder: string, pin: SkillPin): Promise<void>;
}

/** Options of `loadSkills`. */
export interface LoadSkillsOptions extends AbortOptions {
  /** The folders of skills. Of two skills with one name, the one in the earlier folder is offered. */
  readonly folders: readonly SkillFolder[];
  /** Asks the user about a project's skill; true to use it. Without it, those that no pin allows are not offered. */
  readonly approve?: ((request: SkillRequest) => boolean | Promise<boolean>) | undefined;
  /** Keeps the answers. Default: they hold for this one call. */
  readonly pins?: SkillPins | undefined;
}

/** Skills that a model can use, for one conversation: which ones are in use is part of it. */
export interface Skills {
  /** The tool `skill`; undefined if there is none to offer. */
  readonly tool: ToolImplementation | undefined;
  /** Why skills are not offered, and what of them is not used. */
  readonly problems: readonly SkillProblem[];
  /** The skills on offer. One that was found to have changed is not among them any more. */
  list(): readonly Skill[];
  /** The names and descriptions of the skills on offer, for the system prompt; empty without any. */
  prompt(): string;
  /** The names of the skills that the model uses: those that it has loaded. */
  inUse(): readonly string[];
  /** Ends the use of a skill, or of all, and what it was allowed. */
  release(name?: string): void;
  /**
   * Creates a policy, like `permissions`, in which what the skills in use are allowed counts as well, where no rule of the policy is about a call. Before such a
   * call is approved, the files of a project's skill are compared with what the user approved.
   */
  permissions(rules: readonly PermissionRule[], options?: PermissionOptions): Permissions;
}
