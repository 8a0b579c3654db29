import { type JsonObject, KernelError, type Tool, type ToolContext, type ToolResult } from '@kernel/protocol';
import { bindTool } from '../tool/bind-tool.ts';
import type { BindingOptions, ToolBinding } from '../tool/binding.ts';

/** A tool in seed 002's manner, which is told of its conversation and callback before it runs. */
export interface StatefulTool {
  setContext?(channel: string, chatId: string): void;
  setCallback?(callback: (result: ToolResult) => void): void;
  execute(args: JsonObject, signal: AbortSignal): unknown;
}

/**
 * Binds a tool that keeps its conversation and callback in itself, safely under parallel calls.
 *
 * A function makes a fresh one for each call. A single object is shared: its calls run one after the other, each only when the one
 * before has really ended. Throws `CONFIG_INVALID` for a single object with `setCallback`, whose late outcomes could not be told apart.
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
    throw new KernelError(
      'CONFIG_INVALID',
      `Tool "${tool.name}" has a callback of its own and can't be shared by calls.`,
      {
        hint: 'Give a function that makes the tool: bindStatefulTool(tool, () => new MyTool()).',
      },
    );
  }
  let last: Promise<unknown> = Promise.resolve();
  return bindTool(
    tool,
    async (input, context) => {
      const before = last;
      const mine = before.then(() => (context.signal.aborted ? undefined : runStateful(source, input, context)));
      last = mine.catch(() => undefined);
      return mine;
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
