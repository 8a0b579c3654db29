import { errorMessage } from '@kernel/internal';
import {
  type CallContext,
  isToolResult,
  KernelError,
  type PreparedCall,
  toErrorResult,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  withError,
  wrapToolset,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import { unreadableCallResult } from '../loop/call-border.ts';
import { hookStop } from '../loop/run-end.ts';
import type { HookResult } from './model-hooks.ts';

/** What a hook before a call may decide. */
export type BeforeTool =
  /** Makes this call instead. */
  | { readonly action: 'change'; readonly call: ToolCall }
  /** Skips the tool: this is its result. */
  | { readonly action: 'answer'; readonly result: ToolResult }
  /** Refuses the call: its result is `TOOL_DENIED` with this reason, for the model. */
  | { readonly action: 'deny'; readonly reason: string }
  /** Ends the run with reason `handled` and this answer. */
  | { readonly action: 'stop'; readonly answer: string };

/** What a hook after a call may decide. */
export type AfterTool =
  /** Continues with this result instead. */
  | { readonly action: 'change'; readonly result: ToolResult }
  /** Ends the run with reason `handled` and this answer. */
  | { readonly action: 'stop'; readonly answer: string };

/** Hooks around a `Toolset`. A hook that returns nothing lets the call pass. */
export interface ToolHooks<Context = unknown> {
  /** Called before each call. */
  readonly beforeTool?: ((call: ToolCall, context: CallContext<Context>) => HookResult<BeforeTool>) | undefined;
  /** Called with each result. */
  readonly afterTool?:
    | ((call: ToolCall, result: ToolResult, context: CallContext<Context>) => HookResult<AfterTool>)
    | undefined;
}

/**
 * Wraps the calls of a toolset with hooks. If a hook ends the run before a call, the result of the call says so.
 *
 * `beforeTool` runs when a call is prepared, so the changed call is what is asked about and what runs, even if the hook turned a read-only call into
 * one with effects. `afterTool` gets every result, also that of a call that could not be prepared.
 */
export function withToolHooks<Context = unknown>(
  tools: Toolset<Context>,
  { beforeTool, afterTool }: ToolHooks<Context>,
): Toolset<Context> {
  const applyBefore = async (original: ToolCall, context: CallContext<Context>): Promise<ToolCall | ToolResult> => {
    const before = await beforeTool?.(original, context);
    if (before?.action === 'stop') return stoppedResult(original, before.answer);
    if (before?.action === 'deny') return toErrorResult(deniedError(original, before.reason), 'denied');
    if (before?.action === 'answer') return applyAfter(original, before.result, context);
    return before?.action === 'change' ? { ...before.call, id: original.id } : original;
  };
  /** A hook that fails after a call takes its result away, not what the call has done. */
  const applyAfter = async (
    call: ToolCall,
    result: ToolResult,
    context: CallContext<Context>,
    tool?: Tool,
  ): Promise<ToolResult> => {
    let after;
    try {
      after = await afterTool?.(call, result, context);
    } catch (error) {
      if (result.isError === true || tool === undefined) throw error;
      return unreadableCallResult(tool, `a hook after it failed: ${errorMessage(error)}`, error);
    }
    if (after?.action === 'stop') return withError(result, hookStop(after.answer));
    return after?.action === 'change' ? after.result : result;
  };
  const prepare = async (original: ToolCall, context: CallContext<Context>): Promise<PreparedCall | ToolResult> => {
    const call = await applyBefore(original, context);
    if (isToolResult(call)) return call;
    const prepared = await tools.prepare(call, context);
    if (isToolResult(prepared)) return applyAfter(call, prepared, context);
    return {
      ...prepared,
      run: async (running) =>
        applyAfter(call, await prepared.run(running), context, prepared.tool).catch((error: unknown) =>
          hookFailure(call, error),
        ),
    };
  };
  return wrapToolset(tools, {
    prepare: (call, context) => prepare(call, context).catch((error: unknown) => hookFailure(call, error)),
  });
}

function hookFailure(call: ToolCall, error: unknown): ToolResult {
  const message = `A hook of "${call.name}" failed: ${errorMessage(error)}`;
  return toErrorResult(new KernelError('TOOL_FAILED', message, { cause: error }));
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
