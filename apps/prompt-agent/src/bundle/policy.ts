import { KernelError, type Tool, type ToolEffect, type Toolset } from '@kernel/protocol';
import type { AskPermission, PermissionRule, Permissions } from '@kernel/toolbox/permissions';
import type { Output } from '../render/output.ts';
import { createAskUser } from '../approve.ts';
import { hasTerminal, type Terminal } from '../terminal/ask.ts';
import { markInvisible } from '../terminal/visible.ts';
import { usageError } from '../usage-error.ts';
import type { RuleOfFlag } from './rules.ts';
import type { UserRules } from './user-rules.ts';

/** What the policy of an invocation is made of. */
export interface PolicyOptions {
  /** The rules of the bundle. */
  readonly rules: readonly PermissionRule[];
  /** The rules of the command line. */
  readonly flags: readonly RuleOfFlag[];
  /** The user's own rules. */
  readonly userRules: UserRules;
  /** The effects whose calls need no question: those of `--yes`. */
  readonly yes: ReadonlySet<ToolEffect>;
  /** The folder that paths in rules and arguments belong to. */
  readonly root: string;
  /** Where a person is asked. */
  readonly terminal: Terminal;
  /** Where questions are shown. */
  readonly output: Output;
}

/** What decides on calls. */
export interface Policy {
  /** Decides on calls that may change something. */
  readonly approve: Permissions['approve'];
  /** Applies the rules to all calls of a toolset. */
  readonly guard: (tools: Toolset) => Toolset;
  /** All rules, those of answers included. */
  readonly rules: () => readonly PermissionRule[];
}

/** Creates the policy: the rules of the bundle, of the user and of the flags, and a question about what they leave open. Rejects with a usage error that names a flag. */
export async function createPolicy(options: PolicyOptions): Promise<Policy> {
  const { rules, flags, root, terminal, output, userRules, yes } = options;
  const { permissions, withPermissions } = await import('@kernel/toolbox/permissions');
  const askUser = createAskUser(terminal, output, { remember: (rule) => policy.remember(rule), userRules });
  const ask: AskPermission = (request, decision) => {
    if (decision.rule === undefined && yes.has(effectOf(request.tool))) return { decision: 'allow' };
    return hasTerminal(terminal) ? askUser(request, decision) : askNobody(output)(request, decision);
  };
  const policy = permissions(rules, { root, ask });
  const add = (rule: PermissionRule, origin: string, hint: string): void => {
    try {
      policy.remember(rule);
    } catch (error) {
      if (!KernelError.is(error, 'CONFIG_INVALID')) throw error;
      throw usageError(`${origin}: ${error.message}${hint}`);
    }
  };
  for (const rule of userRules.rules) add(rule, userRules.path, '');
  for (const { flag, rule } of flags) add(rule, flag, ` Write it as ${flag} 'run_command(npm test)'.`);
  return { approve: policy.approve, guard: (tools) => withPermissions(tools, policy), rules: () => policy.rules() };
}

/**
 * Without a terminal a call waits, which ends the run, and what would allow it is said. A call that only reads cannot wait: it is
 * denied.
 */
function askNobody(output: Output): AskPermission {
  return ({ call, tool }, { rule, reason, suggestion }) => {
    const text = suggestion !== undefined && 'allow' in suggestion ? suggestion.allow : undefined;
    // A rule that asks is stronger than any that allows.
    const hint = text === undefined || rule !== undefined ? '' : ` The flag --allow ${quoted(text)} would allow it.`;
    if (tool.effect === 'read')
      return { decision: 'deny', reason: `${reason} There is no terminal to ask for approval.${hint}` };
    output.alert(
      `${markInvisible(call.name)} needs approval, and there is no terminal to ask on.${markInvisible(hint)}`,
    );
    return { decision: 'later' };
  };
}

/** The effect of a tool, as approval counts it. */
function effectOf({ effect = 'external' }: Tool): ToolEffect {
  return effect;
}

/** A word as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
