import { addCallUsage, agentAsTool, type AgentBinding } from '@kernel/agent';
import { startAgent, type StartAgent } from './agent/agent-process.ts';
import { type CheckedOptions, checkOptions } from './check-options.ts';
import type { AcpAgentOptions } from './options.ts';
import { createAgentProvider } from './run/provider.ts';

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

/** Makes an agent a tool, by what starts it. Each call has a provider of its own. */
export function bindAgent(options: CheckedOptions, start: StartAgent): AgentBinding {
  const { name, description, model = name } = options;
  const { tokens, cost } = options.limits;
  const bind = (onProgress: (update: string) => void) => {
    const provider = createAgentProvider(options, start, onProgress);

    const limits = { turns: 0, repeats: false, tokens, cost } as const;
    return { provider, ...agentAsTool({ name, description, run: { provider, model, tools: provider.tools, limits } }) };
  };
  const { tool } = bind(() => undefined);
  return {
    tool,
    timeoutMs: 0,
    runsAgent: true,
    async handler(input, context) {
      const { handler, provider } = bind((update) => context.onProgress?.(update));
      try {
        const result = await handler(input, context);
        const answer = provider.answer();
        if (
          result.isError === true ||
          result.outcome !== undefined ||
          answer === '' ||
          result.forLLM.startsWith(answer)
        )
          return result;
        return { ...result, forLLM: `${answer}\n\n${result.forLLM}` };
      } finally {
        await provider.close(addCallUsage);
      }
    },
  };
}
