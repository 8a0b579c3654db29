import type { PermissionRule } from '@kernel/toolbox/permissions';
import * as z from 'zod';
import { parseWith } from '../config/parse-with.ts';

/** A rule of the user's own file. */
export interface UserRule {
  /** The rule. */
  readonly rule: PermissionRule;
  /** The workspace that it holds for, an absolute path; absent if it holds everywhere. */
  readonly workspace?: string;
}

const ruleSchema = z
  .strictObject({
    allow: z.string().optional(),
    ask: z.string().optional(),
    deny: z.string().optional(),
    workspace: z.string().optional(),
  })
  .transform(({ workspace, ...verdicts }, context): UserRule => {
    const { allow, ask, deny } = verdicts;
    const [rule, ...others]: readonly PermissionRule[] = [
      ...(allow === undefined ? [] : [{ allow }]),
      ...(ask === undefined ? [] : [{ ask }]),
      ...(deny === undefined ? [] : [{ deny }]),
    ];
    if (rule !== undefined && others.length === 0) return { rule, ...(workspace === undefined ? {} : { workspace }) };
    context.addIssue({
      code: 'custom',
      message: 'must have one of "allow", "ask" and "deny": { "allow": "TOOL(pattern)" }',
    });
    return z.NEVER;
  });

const rulesSchema = z.strictObject({ rules: z.array(ruleSchema) });

/** Checks the content of `permissions.json`. Throws a usage error that names the file and each mistake: a rule that is passed over may have denied something. */
export function parseUserRules(file: string, content: unknown): readonly UserRule[] {
  return parseWith(rulesSchema, content, file).rules;
}
