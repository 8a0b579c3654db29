import { parseInput } from '../permissions/parse-input.ts';
import { permissions } from '../permissions/permissions.ts';
import type { PermissionDecision, PermissionOptions, PermissionRule, Permissions } from '../permissions/index.ts';
import type { SkillsInUse } from './skills-in-use.ts';

/**
 * Makes a policy that the skills in use extend: a call that no rule of the policy is about is decided on with their rules as well. What a rule denies
 * or asks about, and what a policy with the default `deny` leaves out, stays so.
 */
export function skillPermissions(
  rules: readonly PermissionRule[],
  options: PermissionOptions | undefined,
  skills: SkillsInUse,
): Permissions {
  const own = permissions(rules, options);

  const extended = (name: string, input: Readonly<Record<string, unknown>>): PermissionDecision | undefined => {
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
