import type { AgentBinding } from '@kernel/agent';
import { startAgent } from './agent/agent-process.ts';
import { bindAgent } from './bind-agent.ts';
import { checkOptions } from './check-options.ts';
import type { AcpAgentOptions } from './options.ts';

/**
 * Makes an agent that speaks the Agent Client Protocol (ACP), such as Gemini CLI, a tool that takes a `task` and returns its answer.
 *
 * Each call starts the agent in a copy of what may be read of the workspace, and ends it with the call. What it asks for are calls of an inner run: decided on by
 * the `approve` of the caller, limited, redacted, recorded, and reported as `sub-agent-event`. What it has changed comes back as one call of `apply_patch`.
 *
 * The copy keeps its work apart; it is not a sandbox: the agent is a program that runs with your rights.
 *
 * @example
 * ```ts
 * import { acpAgent } from '@kernel/acp';
 * import { createWorkspace } from '@kernel/toolbox/workspace';
 * import { createRegistry } from '@kernel/tools';
 *
 * const workspace = await createWorkspace({ root: process.cwd(), write: ['**'] });
 * const tools = createRegistry([acpAgent({ command: 'gemini', args: ['--experimental-acp'], workspace })]);
 * ```
 */
export function acpAgent(options: AcpAgentOptions): AgentBinding {
  return bindAgent(checkOptions(options), startAgent);
}
