import {
  type CallContext,
  KernelError,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  withError,
} from '@kernel/protocol';
import { denied } from '../approval/approval.ts';
import { handledRun } from '../loop/hook-stop.ts';
import type { Verdict } from './model-hooks.ts';

/** What a hook before a call may say. */
export type BeforeTool =
  | { readonly action: 'change'; readonly call: ToolCall }
  | { readonly action: 'answer'; readonly result: ToolResult }
  | { readonly action: 'deny'; readonly reason: string }
  | { readonly action: 'stop'; readonly answer: string };

/** What a hook after a call may say. */
export type AfterTool =
  | { readonly action: 'change'; readonly result: ToolResult }
  | { readonly action: 'stop'; readonly answer: string };

/** Hooks round a `Toolset`. Nothing returned means: go on. */
export interface ToolHooks {
  readonly beforeTool?: ((call: ToolCall, context: CallContext) => Verdict<BeforeTool>) | undefined;
  readonly afterTool?: ((call: ToolCall, result: ToolResult, context: CallContext) => Verdict<AfterTool>) | undefined;
}

/** Puts hooks round a toolset's `call`. A hook that ends the run before a call makes it a result that says so. */
export function withToolHooks(tools: Toolset, { beforeTool, afterTool }: ToolHooks): Toolset {
  const through = async (asked: ToolCall, context: CallContext): Promise<ToolResult> => {
    const before = await beforeTool?.(asked, context);
    if (before?.action === 'stop') return ended(asked, before.answer);
    if (before?.action === 'deny') return toErrorResult(denied(asked, before.reason), 'denied');
    const call = before?.action === 'change' ? { ...before.call, id: asked.id } : asked;
    const result = before?.action === 'answer' ? before.result : await tools.call(call, context);
    const after = await afterTool?.(call, result, context);
    if (after?.action === 'stop') return withError(result, handledRun(after.answer));
    return after?.action === 'change' ? after.result : result;
  };
  return {
    ...tools,
    call: (call, context) =>
      through(call, context).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const failure = new KernelError('TOOL_FAILED', `A hook of "${call.name}" failed: ${why}`, { cause: error });
        return toErrorResult(failure);
      }),
  };
}

function ended(call: ToolCall, answer: string): ToolResult {
  const error = handledRun(answer);
  return {
    forLLM: `TOOL_SKIPPED: the run was ended at "${call.name}".`,
    isError: true,
    code: 'TOOL_SKIPPED',
    outcome: 'skipped',
    error,
  };
}
