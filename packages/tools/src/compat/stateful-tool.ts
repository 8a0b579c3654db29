import { type JsonObject, KernelError, type Tool, type ToolContext, type ToolResult } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { BindingOptions, ToolBinding } from '../tool/binding.ts';

/** The handler of a tool as an object with state. Its conversation and callback are set before it runs. */
export interface StatefulTool {
  /** Sets the conversation; called if the call has one. */
  setContext?(channel: string, chatId: string): void;
  /** Sets the function that receives the late result of an async tool. */
  setCallback?(callback: (result: ToolResult) => void): void;
  /** Does the work. Returns what a `ToolHandler` returns. */
  execute(args: JsonObject, signal: AbortSignal): unknown;
}

/**
 * Binds a stateful handler so that parallel calls are safe.
 *
 * A function creates a new handler for each call. A single object is shared: its calls run one at a time, each only after the previous one
 * has actually settled. Throws `CONFIG_INVALID` for a single object with `setCallback`: its late results could not be matched to calls.
 */
export function bindStatefulTool(
  tool: Tool,
  source: StatefulTool | (() => StatefulTool),
  options: BindingOptions = {},
): ToolBinding {
  if (typeof source === 'function') {
    return bindTool(tool, (input, context) => runStateful(source(), input, context), options);
  }
  if (source.setCallback !== undefined) {
    throw new KernelError('CONFIG_INVALID', `Tool "${tool.name}" keeps a callback and cannot be shared by calls.`, {
      hint: 'Pass a function that creates the handler: bindStatefulTool(tool, () => new MyTool()).',
    });
  }
  let last: Promise<unknown> = Promise.resolve();
  return bindTool(
    tool,
    async (input, context) => {
      const previous = last;
      const current = previous.then(() => (context.signal.aborted ? undefined : runStateful(source, input, context)));
      last = current.catch(() => undefined);
      return current;
    },
    options,
  );
}

function runStateful(tool: StatefulTool, input: JsonObject, context: ToolContext): unknown {
  const { conversation } = context;
  if (conversation !== undefined) tool.setContext?.(conversation.channel, conversation.chatId);
  tool.setCallback?.((result) => context.onComplete?.(result));
  return tool.execute(input, context.signal);
}
