import { errorMessage } from '@kernel/internal';
import type { PermissionRule, Permissions } from '@kernel/toolbox/permissions';
import type { ApprovalScope } from './approval-scope.ts';
import type { UserRules } from './user-rules.ts';

/**
 * Permissions whose rules of the user are those of their file: `renew` reads it again, and what an answer has added for this session stays. `make` creates them with
 * the rules of the file. `warn` is told why a file cannot be used that was changed; the rules of before hold.
 */
export function createCurrentRules(
  userRules: UserRules,
  make: (rules: readonly PermissionRule[]) => Permissions,
  warn: (why: string) => void,
) {
  let current = make(userRules.rules);
  let warned = '';
  let ofSession: readonly PermissionRule[] = [];
  const policy: Permissions = {
    decide: (...call) => current.decide(...call),
    approve: (request) => current.approve(request),
    closedFiles: (...call) => current.closedFiles(...call),
    rules: () => current.rules(),
    remember(rule) {
      current.remember(rule);
      ofSession = [...ofSession, rule];
    },
  };
  const kept: ApprovalScope['userRules'] = {
    path: userRules.path,
    /** What is in the file holds for as long as it is. */
    async add(rule) {
      await userRules.add(rule);
      ofSession = ofSession.filter((each) => each !== rule);
    },
  };
  return {
    policy,
    userRules: kept,
    async renew(): Promise<void> {
      try {
        const rules = await userRules.changed();
        if (rules === undefined) return;
        current = make(rules);
      } catch (error) {
        const why = errorMessage(error);
        if (why !== warned) warn(why);
        warned = why;
        return;
      }
      for (const rule of ofSession) current.remember(rule);
    },
  };
}
