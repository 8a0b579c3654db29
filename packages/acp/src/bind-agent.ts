import { addCallUsage, agentAsTool, type AgentBinding } from '@kernel/agent';
import type { ToolContext, ToolResult } from '@kernel/protocol';
import type { StartAgent } from './agent/agent-process.ts';
import { createAgentProvider } from './run/provider.ts';
import { createAgentTools } from './run/tools.ts';
import type { CheckedOptions } from './check-options.ts';

/** Makes an agent a tool, by what starts it. */
export function bindAgent(options: CheckedOptions, start: StartAgent): AgentBinding {
  const { tool } = bindingOf(options, start, () => undefined);
  const handler: AgentBinding['handler'] = (input, context) => {
    const { onProgress } = context;
    return runAgent(
      bindingOf(options, start, (update) => onProgress?.(update)),
      input,
      context,
    );
  };
  return { tool, timeoutMs: 0, handler, runsAgent: true };
}

async function runAgent(
  { handler, provider }: ReturnType<typeof bindingOf>,
  input: { readonly task: string },
  context: ToolContext,
): Promise<ToolResult> {
  try {
    const result = await handler(input, context);
    const answer = provider.answer();
    if (result.isError === true || result.outcome !== undefined || answer === '' || result.forLLM.startsWith(answer))
      return result;
    return { ...result, forLLM: `${answer}\n\n${result.forLLM}` };
  } finally {
    await provider.close(addCallUsage);
  }
}

function bindingOf(options: CheckedOptions, start: StartAgent, onProgress: (update: string) => void) {
  const { name, description, limits } = options;
  const { tokens, cost } = limits;
  const provider = createAgentProvider(options, start, onProgress);
  const { tool, handler } = agentAsTool({
    name,
    description,
    run: {
      provider,
      model: options.model ?? name,
      tools: createAgentTools(provider.calls),
      limits: { turns: 0, repeats: false, tokens, cost },
    },
  });
  return { tool, handler, provider };
}
