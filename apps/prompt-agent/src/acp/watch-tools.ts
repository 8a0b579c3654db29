import { KernelError, toErrorResult, type ToolCall, type Toolset, wrapToolset } from '@kernel/protocol';
import type { AgentMode } from '@kernel/toolbox/agents';

interface WatchOptions {
  /** The mode that the session is in now. */
  readonly mode: () => AgentMode;
  /** Sees a call before it runs, to find out what it will change. */
  readonly before: (call: ToolCall, signal: AbortSignal) => Promise<void>;
}

/** Holds a turn to the mode that was chosen while it runs, and shows each call before it runs. */
export function watchTools(tools: Toolset, { mode, before }: WatchOptions): Toolset {
  const isAllowed = ({ name }: ToolCall): boolean => {
    if (mode() === 'act') return true;
    if (name === 'run_command') return mode() === 'plan';
    return tools.list().find((tool) => tool.name === name)?.effect === 'read';
  };
  return wrapToolset(tools, {
    async call(call, context) {
      if (!isAllowed(call)) {
        const why = `The user has set the mode ${mode()}, in which nothing is changed.`;
        return toErrorResult(new KernelError('TOOL_DENIED', why), 'denied');
      }
      await before(call, context.signal);
      return tools.call(call, context);
    },
  });
}
