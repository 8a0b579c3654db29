import {
  type CallContext,
  KernelError,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  withError,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import { hookStop } from '../loop/hook-stop.ts';
import type { HookResult } from './model-hooks.ts';

/** What a hook before a call may decide. */
export type BeforeTool =
  | { readonly action: 'change'; readonly call: ToolCall }
  | { readonly action: 'answer'; readonly result: ToolResult }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'stop'; readonly answer: string };

/** What a hook after a call may decide. */
export type AfterTool =
  | { readonly action: 'change'; readonly result: ToolResult }
  | { readonly action: 'stop'; readonly answer: string };

/** Hooks around a `Toolset`. A hook that returns nothing lets the call pass. */
export interface ToolHooks {
  /** Called before each call. */
  readonly beforeTool?: ((call: ToolCall, context: CallContext) => HookResult<BeforeTool>) | undefined;
  /** Called with each result. */
  readonly afterTool?:
    | ((call: ToolCall, result: ToolResult, context: CallContext) => HookResult<AfterTool>)
    | undefined;
}

/** Wraps `call` of a toolset with hooks. If a hook ends the run before a call, the result of the call says so. */
export function withToolHooks(tools: Toolset, { beforeTool, afterTool }: ToolHooks): Toolset {
  const callWithHooks = async (original: ToolCall, context: CallContext): Promise<ToolResult> => {
    const before = await beforeTool?.(original, context);
    if (before?.action === 'stop') return stoppedResult(original, before.answer);
    if (before?.action === 'deny') return toErrorResult(deniedError(original, before.reason), 'denied');
    const call = before?.action === 'change' ? { ...before.call, id: original.id } : original;
    const result = before?.action === 'answer' ? before.result : await tools.call(call, context);
    const after = await afterTool?.(call, result, context);
    if (after?.action === 'stop') return withError(result, hookStop(after.answer));
    return after?.action === 'change' ? after.result : result;
  };
  return {
    ...tools,
    call: (call, context) =>
      callWithHooks(call, context).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const failure = new KernelError('TOOL_FAILED', `A hook of "${call.name}" failed: ${why}`, { cause: error });
        return toErrorResult(failure);
      }),
  };
}

function stoppedResult(call: ToolCall, answer: string): ToolResult {
  return {
    forLLM: `TOOL_SKIPPED: a hook ended the run before "${call.name}".`,
    isError: true,
    code: 'TOOL_SKIPPED',
    outcome: 'skipped',
    error: hookStop(answer),
  };
}
