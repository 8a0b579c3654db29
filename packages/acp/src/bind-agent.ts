import { addCallUsage, agentAsTool, type AgentBinding } from '@kernel/agent';
import type { StartAgent } from './agent/agent-process.ts';
import type { CheckedOptions } from './check-options.ts';
import { createAgentProvider } from './run/provider.ts';

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
