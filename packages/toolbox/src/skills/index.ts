export { loadSkills } from './load-skills.ts';
export { validateSkill } from './open-skill.ts';
export { skillPins } from './pins.ts';
export type {
  LoadSkillsOptions,
  Skill,
  SkillFileEntry,
  SkillFiles,
  SkillFolder,
  SkillPin,
  SkillPins,
  SkillProblem,
  SkillProperties,
  SkillRequest,
  Skills,
} from './types.ts';
