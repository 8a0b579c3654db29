export { loadSkills } from './load-skills.ts';
export { skillPins } from './pins.ts';
export { validateSkill } from './validate-skill.ts';
export type {
  LoadSkillsOptions,
  Skill,
  SkillFolder,
  SkillPin,
  SkillPins,
  SkillProblem,
  SkillProperties,
  SkillRequest,
  Skills,
} from './types.ts';
