import { isObject, visible } from '@kernel/internal';
import { KernelError, type Tool, type ToolCall, type ToolEffect, type Toolset } from '@kernel/protocol';
import type { AskPermission, PermissionDecision, PermissionRule, Permissions } from '@kernel/toolbox/permissions';
import type { Output } from '../output/output.ts';
import { createAskUser } from '../approve.ts';
import { hasTerminal, type Terminal } from '../questions/ask.ts';
import type { CommandSetting } from '../questions/show-call.ts';
import { usageError } from '../usage-error.ts';
import { askAboutReads, isRead } from './ask-about-reads.ts';
import type { PreviewChange } from './preview-change.ts';
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
  /** Finds out what a call would change, to be shown before it is asked about. */
  readonly preview?: PreviewChange | undefined;
  /** Finds out how commands run, which is shown too. */
  readonly commands?: (() => Promise<CommandSetting | undefined>) | undefined;
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
  /** What keeps a call waiting. */
  readonly waitsFor: (call: ToolCall) => WaitsFor;
}

/** What keeps a call waiting: that no rule allows it, or that one asks. */
export interface WaitsFor {
  /** The rule that would allow the call, as `--allow` takes it. */
  readonly allow?: string;
  /** The rule that asks about the call, as `--ask` takes it. No rule that allows is stronger. */
  readonly askedBy?: string;
}

/** Creates the policy: the rules of the bundle, of the user and of the flags, and a question about what they leave open. Rejects with a usage error that names a flag. */
export async function createPolicy(options: PolicyOptions): Promise<Policy> {
  const { rules, flags, root, terminal, output, userRules, yes, preview, commands } = options;
  const { permissions, withPermissions } = await import('@kernel/toolbox/permissions');
  const remember = (rule: PermissionRule): void => policy.remember(rule);
  const askUser = createAskUser(terminal, output, { remember, userRules, preview, commands });
  const ask: AskPermission = (request, decision) => {
    if (decision.rule === undefined && (isRead(request.tool) || yes.has(effectOf(request.tool))))
      return { decision: 'allow' };
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
  return {
    approve: policy.approve,
    guard: (tools) =>
      withPermissions(
        askAboutReads(tools, () => policy.rules()),
        policy,
      ),
    rules: () => policy.rules(),
    waitsFor: (call) => waitsFor(policy.decide(call.name, inputOf(call))),
  };
}

/** Without a terminal a call waits, which ends the run, and what would allow it is said. */
function askNobody(output: Output): AskPermission {
  return ({ call }, decision) => {
    const { allow, askedBy } = waitsFor(decision);
    const hint =
      askedBy === undefined
        ? allow && ` The flag --allow ${quoted(allow)} would allow it.`
        : ` The rule ${quoted(askedBy)} asks about it, and no --allow overrides that: go on with -c on a terminal, or leave the rule out.`;
    output.alert(`${visible(call.name)} needs approval, and there is no terminal to ask on.${visible(hint ?? '')}`);
    return { decision: 'later' };
  };
}

function waitsFor({ rule, suggestion }: PermissionDecision): WaitsFor {
  if (rule !== undefined) return 'ask' in rule ? { askedBy: rule.ask } : {};
  return suggestion !== undefined && 'allow' in suggestion ? { allow: suggestion.allow } : {};
}

function inputOf({ arguments: text }: ToolCall): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The effect of a tool, as approval counts it. */
function effectOf({ effect = 'external' }: Tool): ToolEffect {
  return effect;
}

/** A word as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
