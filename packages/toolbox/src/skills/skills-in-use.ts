import type { OpenedSkill } from './open-skill.ts';

export interface SkillsInUse {
  /** The skill of a name, in its normal form; undefined if it is not offered. */
  find(name: string): OpenedSkill | undefined;
  names(): readonly string[];
  active(): readonly OpenedSkill[];
  use(opened: OpenedSkill): void;
  /** Takes a skill that has changed out of what is offered and used. */
  drop(opened: OpenedSkill): void;
}
