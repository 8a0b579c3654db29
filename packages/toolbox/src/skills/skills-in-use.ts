import type { OpenedSkill } from './open-skill.ts';

/** The skills of a conversation, as the tool and the policy share them. */
export interface SkillsInUse {
  /** The skill of a name, in its normal form; undefined if it is not offered. */
  find(name: string): OpenedSkill | undefined;
  /** The names of all on offer. */
  names(): readonly string[];
  /** The skills that were loaded, in that order. */
  active(): readonly OpenedSkill[];
  /** Notes that a skill was loaded. */
  use(opened: OpenedSkill): void;
  /** Takes a skill that has changed out of what is offered and used. */
  drop(opened: OpenedSkill): void;
}
