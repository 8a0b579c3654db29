import { KernelError, toErrorResult, type ToolCall, type Toolset, wrapToolset } from '@kernel/protocol';
import type { AgentMode } from '@kernel/toolbox/agents';

/** Holds the calls of a turn to the mode that is chosen while it runs, those of programs and agents within it included. A stricter one than that of its beginning has no more tools to offer: their calls are denied. */
export function withMode(tools: Toolset, mode: () => AgentMode): Toolset {
  const isAllowed = ({ name }: ToolCall): boolean => {
    if (mode() === 'act') return true;
    // What else a command may do is decided by the rules, as at the beginning of a turn in this mode.
    if (name === 'run_command') return mode() === 'plan';
    return tools.list().find((tool) => tool.name === name)?.effect === 'read';
  };
  return wrapToolset(tools, {
    call(call, context) {
      if (isAllowed(call)) return tools.call(call, context);
      const why = `The user has set the mode ${mode()}, in which nothing is changed.`;
      return Promise.resolve(toErrorResult(new KernelError('TOOL_DENIED', why), 'denied'));
    },
  });
}
