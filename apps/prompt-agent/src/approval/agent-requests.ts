import type { AgentRequestName } from '@kernel/acp';
import { isObject, parseJson } from '@kernel/internal';
import type { ToolCall } from '@kernel/protocol';
import type { PermissionResult, Permissions } from '@kernel/toolbox/permissions';

/** What an agent of `--agent-command` asks to do by itself. */
const AGENT_REQUESTS: Readonly<Record<AgentRequestName, true>> = { agent_command: true, agent_permission: true };

/** Whether a call is what another agent asks to do by itself. */
export function isAgentRequest(name: string): boolean {
  return Object.hasOwn(AGENT_REQUESTS, name);
}

/**
 * Decides on a call by the rules. A command that another agent runs by itself is not isolated: rules of `run_command` that ask or deny hold for it, and those that
 * allow only where commands are not isolated here either. No rule is suggested for what an agent asks for in words of its own: none would be exact.
 */
export function decideCall(
  policy: Permissions,
  name: string,
  input: Readonly<Record<string, unknown>>,
  isIsolated: boolean,
): PermissionResult {
  const own = policy.decide(name, input);
  if (!isAgentRequest(name)) return own;
  if (name === 'agent_permission' || own.verdict === 'deny') return exactly(own);
  const asCommand = policy.decide('run_command', input);
  if (asCommand.verdict === 'deny') return asCommand;
  if (own.rule !== undefined)
    return 'ask' in own.rule || asCommand.rule === undefined ? own : strictest(own, asCommand);
  if (asCommand.verdict === 'allow' && isIsolated) return exactly(own);
  return isIsolated ? exactly(asCommand) : asCommand;
}

function strictest(own: PermissionResult, asCommand: PermissionResult): PermissionResult {
  return asCommand.verdict === 'ask' ? asCommand : own;
}

function exactly({ suggestion: _suggestion, ...decision }: PermissionResult): PermissionResult {
  return decision;
}

/**
 * A call that brings back the changes of another agent, as the tool of this program takes it, and what its patch does not say, a line each: the modes that it changes,
 * and what the agent changed besides.
 */
export function readAgentPatch(call: ToolCall): { readonly call: ToolCall; readonly notes: readonly string[] } {
  const input = call.name === 'apply_patch' ? parseJson(call.arguments) : undefined;
  if (!isObject(input) || typeof input['agent'] !== 'string') return { call, notes: [] };
  const files: readonly unknown[] = Array.isArray(input['files']) ? input['files'] : [];
  const modes = files.flatMap((file) => {
    if (!isObject(file) || typeof file['path'] !== 'string' || typeof file['newMode'] !== 'string') return [];
    const { path, mode, newMode } = file;
    if (mode === undefined && newMode === '644') return [];
    return [`mode of ${JSON.stringify(path)}: ${typeof mode === 'string' ? `${mode}, then ` : ''}${newMode}`];
  });
  const skipped = (Array.isArray(input['skipped']) ? input['skipped'] : []).filter((each) => typeof each === 'string');
  return { call: { ...call, arguments: JSON.stringify({ patch: input['patch'] }) }, notes: [...modes, ...skipped] };
}
