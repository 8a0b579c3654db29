import { oneLine, type OpenedSkill } from './open-skill.ts';
import { skillPermissions } from './skill-permissions.ts';
import { skillTool } from './skill-tool.ts';
import type { SkillsInUse } from './skills-in-use.ts';
import type { SkillProblem, Skills } from './types.ts';

export function createSkills(opened: readonly OpenedSkill[], problems: readonly SkillProblem[]): Skills {
  const offered = new Map(opened.map((each) => [each.skill.name, each]));
  const active = new Map<string, OpenedSkill>();
  const shared: SkillsInUse = {
    find: (name) => offered.get(name),
    names: () => [...offered.keys()],
    active: () => [...active.values()],
    use: (each) => void active.set(each.skill.name, each),
    drop: ({ skill: { name } }) => {
      offered.delete(name);
      active.delete(name);
    },
  };
  return {
    tool: opened.length === 0 ? undefined : skillTool(shared),
    problems,
    list: () => Array.from(offered.values(), ({ skill }) => skill),
    prompt: () => promptFor([...offered.values()]),
    inUse: () => [...active.keys()],
    release: (name) => {
      if (name === undefined) active.clear();
      else active.delete(name);
    },
    permissions: (rules, options) => skillPermissions(rules, options, shared),
  };
}

function promptFor(offered: readonly OpenedSkill[]): string {
  if (offered.length === 0) return '';
  const entries = offered.map(
    ({ skill }) =>
      `<skill>\n<name>${escapeXml(skill.name)}</name>\n<description>${escapeXml(oneLine(skill.description))}</description>\n</skill>`,
  );
  return [
    "Skills are instructions for certain tasks. When a task fits a skill's description, load it with the tool skill before you begin.",
    '<available_skills>',
    ...entries,
    '</available_skills>',
  ].join('\n');
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
