import { isObject, visible } from '@kernel/internal';
import { KernelError, type ToolCall, type Toolset, wrapToolset } from '@kernel/protocol';
import type {
  AskPermission,
  PermissionAnswer,
  PermissionResult,
  PermissionRule,
  Permissions,
} from '@kernel/toolbox/permissions';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import type { Flags } from '../options/flags.ts';
import type { Output } from '../output/output.ts';
import { hasTerminal } from '../questions/ask.ts';
import { decideCall, isAgentRequest } from './agent-requests.ts';
import type { ApprovalScope } from './approval-scope.ts';
import { createCurrentRules } from './current-rules.ts';
import { createShownChanges } from './shown-changes.ts';
import type { UserRules } from './user-rules.ts';

interface PolicyOptions extends Omit<ApprovalScope, 'remember'> {
  /** The rules of the bundle. */
  readonly rules: readonly PermissionRule[];
  readonly userRules: UserRules;
  /** The folder that paths in rules and arguments belong to. */
  readonly root: string;
}

export interface Policy {
  readonly approve: Permissions['approve'];
  readonly guard: (tools: Toolset) => Toolset;
  /** All rules, those of answers included. */
  readonly rules: () => readonly PermissionRule[];
  readonly waitsFor: (call: ToolCall) => WaitsFor;
}

/** What keeps a call waiting: that no rule allows it, or that one asks. */
export interface WaitsFor {
  /** The rule that would allow the call, as `--allow` takes it. */
  readonly allow?: string;
  /** The rule that asks about the call, as `--ask` takes it. No rule that allows is stronger. */
  readonly askedBy?: string;
}

/** What decides where all tools only read. */
export const NO_POLICY: Policy = {
  approve: () => Promise.resolve({ decision: 'deny', reason: 'It is not one of the tools that only read.' }),
  guard: (tools) => tools,
  rules: () => [],
  waitsFor: () => ({}),
};

/** Creates the policy: the rules of the bundle, of the user and of the flags, and a question about what they leave open. Rejects with a usage error that names a flag. */
export async function createPolicy({ flags, host, output }: CommandCall, options: PolicyOptions): Promise<Policy> {
  const { rules, root, userRules } = options;
  const { permissions, withPermissions } = await import('@kernel/toolbox/permissions');
  const make = (ofUser: readonly PermissionRule[]): Permissions => {
    const made = permissions(rules, { root, ask: (...question) => ask(...question) });
    const add = (rule: PermissionRule, origin: string, hint: string): void => {
      try {
        made.remember(rule);
      } catch (error) {
        if (!KernelError.is(error, 'CONFIG_INVALID')) throw error;
        throw usageError(`${origin}: ${error.message}${hint}`);
      }
    };
    for (const rule of ofUser) add(rule, userRules.path, '');
    for (const rule of rulesOf(flags)) {
      const flag = `--${Object.keys(rule)[0] ?? ''}`;
      add(rule, flag, ` Write it as ${flag} 'run_command(npm test)'.`);
    }
    return made;
  };
  const current = createCurrentRules(userRules, make, (why) =>
    output.note(`note: the rules of before hold, because ${visible(why)}`),
  );
  const { policy } = current;
  const remember = (rule: PermissionRule): void => policy.remember(rule);
  const changes = options.preview && createShownChanges(options.preview);
  const scope = { ...options, userRules: current.userRules, remember, preview: changes?.show };
  const askUser = host.editor?.askPermission(scope) ?? (await askerOf(flags, scope, { host, output }));
  const unasked: ReadonlySet<string> = new Set(flags.yes);
  const ask: AskPermission = async (request, decision) => {
    const { effect = 'external' } = request.tool;
    if (decision.rule === undefined && (await isAskedThere(request.call))) return { decision: 'allow' };
    if (decision.rule === undefined && (effect === 'read' || unasked.has(effect))) return { decision: 'allow' };
    if (host.editor === undefined && !hasTerminal(host)) return askNobody(output)(request, decision);
    const answer = await askUser(request, decision);
    if (answer.decision !== 'allow') changes?.forget(request.call);
    return answer;
  };
  /** Whether a command runs in a terminal of somebody who decides on it: a second question would be about the same. */
  const isAskedThere = async (call: ToolCall): Promise<boolean> =>
    call.name === 'run_command' &&
    host.editor?.terminals?.decidesOnCommands === true &&
    flags.sandbox !== 'required' &&
    (inputOf(call)['input'] ?? '') === '' &&
    (await options.commands?.()) !== undefined;
  const isIsolated = async (): Promise<boolean> => (await options.commands?.())?.isolation !== null;
  const decide: Permissions['approve'] = async (request) => {
    const { call } = request;
    if (!isAgentRequest(call.name)) return policy.approve(request);
    const decision = decideCall(policy, call.name, inputOf(call), await isIsolated());
    if (decision.verdict === 'allow') return { decision: 'allow' };
    return decision.verdict === 'ask' ? ask(request, decision) : { decision: 'deny', reason: decision.reason };
  };
  // What another agent asks for is decided on here alone, and the mode may change while somebody is asked.
  const approve: Permissions['approve'] = async (request) => {
    const refused = (): PermissionAnswer | undefined => {
      const reason = host.editor?.refusal(request.call);
      return reason === undefined ? undefined : { decision: 'deny', reason };
    };
    const answer = refused() ?? (await decide(request));
    return refused() ?? answer;
  };
  return {
    approve,
    guard: (tools) => {
      const guarded = withPermissions(
        renewing(tools, () => current.renew()),
        policy,
      );
      return changes?.guard(guarded) ?? guarded;
    },
    rules: () => policy.rules(),
    // Of a call that waits, no rule allowed it.
    waitsFor: (call) => waitsFor(decideCall(policy, call.name, inputOf(call), true)),
  };
}

/** Asks at the terminal: about each call or, if there are programs, once about the calls that one of them makes at once. */
async function askerOf(
  flags: Flags,
  scope: ApprovalScope,
  { host, output }: Pick<CommandCall, 'host' | 'output'>,
): Promise<AskPermission> {
  const askUser = (await import('./ask-user.ts')).createAskUser(host, output, scope);
  if (flags['code-mode'] !== true) return askUser;
  return (await import('./ask-plan.ts')).askPlans(askUser, host, output, scope);
}

/** The rules of `--allow`, `--ask` and `--deny`. Their order does not matter. */
export function rulesOf({ allow = [], ask = [], deny = [] }: Flags): readonly PermissionRule[] {
  return [
    ...allow.map((text) => ({ allow: text })),
    ...ask.map((text) => ({ ask: text })),
    ...deny.map((text) => ({ deny: text })),
  ];
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

function waitsFor({ rule, suggestion }: PermissionResult): WaitsFor {
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

/** A word as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** Reads the rules of the user again with each turn. */
function renewing(tools: Toolset, renew: () => Promise<void>): Toolset {
  return wrapToolset(tools, {
    async listFor(turn) {
      await renew();
      return tools.listFor?.(turn) ?? tools.list();
    },
  });
}
