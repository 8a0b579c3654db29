import { KernelError, toErrorResult, type ToolCall, type ToolResult, type Toolset, wrapCalls } from '@kernel/protocol';
import type { AgentMode } from '@kernel/toolbox/agents';

/** Holds the calls of a turn to the mode that is chosen while it runs, those of programs and agents within it included. A stricter one than that of its beginning has no more tools to offer: their calls are denied. */
export function createModeGuard(mode: () => AgentMode) {
  let inner: Toolset | undefined;
  const isAllowed = (name: string): boolean => {
    if (mode() === 'act') return true;
    // What else a command may do is decided by the rules, as at the beginning of a turn in this mode.
    if (name === 'run_command' || name === 'agent_command') return mode() === 'plan';
    const tool = inner?.list().find((each) => each.name === name);
    // What another agent asks for is none of the tools, and is decided by the rules.
    return tool === undefined || tool.effect === 'read';
  };
  /** Returns why the mode denies a call, in spite of any rule or answer; `undefined` if it does not. */
  const refusal = ({ name }: ToolCall): string | undefined =>
    isAllowed(name) ? undefined : `The user has set the mode ${mode()}, in which nothing is changed.`;
  const denied = (call: ToolCall): ToolResult | undefined => {
    const why = refusal(call);
    return why === undefined ? undefined : toErrorResult(new KernelError('TOOL_DENIED', why), 'denied');
  };
  return {
    refusal,
    wrap(tools: Toolset): Toolset {
      inner = tools;
      // The mode may have changed while somebody was asked.
      return wrapCalls(
        tools,
        (prepared, call) =>
          denied(call) ?? { ...prepared, run: async (running) => denied(call) ?? prepared.run(running) },
      );
    },
  };
}
