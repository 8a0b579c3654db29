import { oneLine, type OpenedSkill, type SkillsInUse } from './open-skill.ts';
import { filesOf } from './skill-files.ts';
import { skillTool } from './skill-tool.ts';
import type { SkillProblem, Skills } from './types.ts';
import { parseInput } from '../permissions/decide-text.ts';
import { permissions } from '../permissions/permissions.ts';
import type { PermissionResult, PermissionOptions, PermissionRule, Permissions } from '../permissions/index.ts';

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
    files: () => filesOf(() => [...offered.values()]),
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

/**
 * Makes a policy that the skills in use extend: a call that no rule of the policy is about is decided on with their rules as well. What a rule denies
 * or asks about, and what a policy with the default `deny` leaves out, stays so.
 */
function skillPermissions(
  rules: readonly PermissionRule[],
  options: PermissionOptions | undefined,
  skills: SkillsInUse,
): Permissions {
  const own = permissions(rules, options);

  const extended = (name: string, input: Readonly<Record<string, unknown>>): PermissionResult | undefined => {
    const added = skills.active().flatMap(({ skill }) => skill.rules);
    if (added.length === 0) return undefined;
    const decision = permissions([...own.rules(), ...added], options).decide(name, input);
    return decision.verdict === 'allow' ? decision : undefined;
  };

  const decide: Permissions['decide'] = (name, input) => {
    const decision = own.decide(name, input);
    const isOpen = decision.verdict === 'ask' && decision.rule === undefined;
    return (isOpen ? extended(name, input) : undefined) ?? decision;
  };

  return {
    ...own,
    decide,
    approve: async (request) => {
      const input = parseInput(request.call.arguments);
      const { name } = request.call;
      if (
        input !== undefined &&
        own.decide(name, input).verdict !== 'allow' &&
        decide(name, input).verdict === 'allow'
      ) {
        // What runs next may be a script of the skill: it has to be the one that the user approved.
        for (const opened of skills.active())
          if (opened.skill.rules.length > 0 && !(await opened.isUnchanged(request.signal))) skills.drop(opened);
        if (decide(name, input).verdict === 'allow') return { decision: 'allow' };
      }
      return own.approve(request);
    },
  };
}
