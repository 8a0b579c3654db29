import { errorMessage } from '@kernel/internal';
import {
  type CallContext,
  isToolResult,
  KernelError,
  markRewritesCalls,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
  withError,
  wrapToolset,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import { validateCall } from '../approval/validate-call.ts';
import { unreadableToolsetResult } from '../loop/call-toolset.ts';
import { hookStop } from '../loop/run-end.ts';
import type { HookResult } from './model-hooks.ts';
import { withValidatedCalls } from './with-validated-calls.ts';

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
 * Wraps `call` of a toolset with hooks. If a hook ends the run before a call, the result of the call says so.
 *
 * With an approval, `beforeTool` runs before the question, so the changed call is what is approved, even if it turned a read-only call into one with
 * effects.
 */
export function withToolHooks<Context = unknown>(
  inner: Toolset<Context>,
  { beforeTool, afterTool }: ToolHooks<Context>,
): Toolset<Context> {
  // What a hook makes of a call is checked after it, as in a registry.
  const tools = withValidatedCalls(inner);
  const decided = new WeakMap<
    ValidatedCall,
    { readonly call: ToolCall; readonly approved: ValidatedCall | undefined }
  >();
  const applyBefore = async (original: ToolCall, context: CallContext<Context>): Promise<ToolCall | ToolResult> => {
    const before = await beforeTool?.(original, context);
    if (before?.action === 'stop') return stoppedResult(original, before.answer);
    if (before?.action === 'deny') return toErrorResult(deniedError(original, before.reason), 'denied');
    if (before?.action === 'answer') return applyAfter(original, before.result, context);
    return before?.action === 'change' ? { ...before.call, id: original.id } : original;
  };
  /** A hook that fails after a call takes its result away, not what the call has done. */
  const applyAfter = async (call: ToolCall, result: ToolResult, context: CallContext<Context>): Promise<ToolResult> => {
    let after;
    try {
      after = await afterTool?.(call, result, context);
    } catch (error) {
      if (result.isError === true) throw error;
      return unreadableToolsetResult(tools, call, `a hook after it failed: ${errorMessage(error)}`, error);
    }
    if (after?.action === 'stop') return withError(result, hookStop(after.answer));
    return after?.action === 'change' ? after.result : result;
  };
  const callWithHooks = async (original: ToolCall, context: CallContext<Context>): Promise<ToolResult> => {
    const known = context.approved === undefined ? undefined : decided.get(context.approved);
    if (known !== undefined) {
      const result = await tools.call(known.call, { ...context, approved: known.approved });
      return applyAfter(known.call, result, context);
    }
    const call = await applyBefore(original, context);
    if (isToolResult(call)) return call;
    return applyAfter(call, await tools.call(call, context), context);
  };
  const validateWithHooks = async (
    original: ToolCall,
    context: CallContext<Context>,
  ): Promise<ValidatedCall | ToolResult> => {
    const call = await applyBefore(original, context);
    if (isToolResult(call)) return call;
    const approved = await validateCall(tools, call, context);
    if (isToolResult(approved)) return approved;
    const validated = { tool: approved.tool, arguments: approved.arguments, isCurrent: () => approved.isCurrent() };
    decided.set(validated, { call, approved: approved.approved });
    return validated;
  };
  const hooked = wrapToolset(tools, {
    call: (call, context) => callWithHooks(call, context).catch((error: unknown) => hookFailure(call, error)),
    validate: (call, context) => validateWithHooks(call, context).catch((error: unknown) => hookFailure(call, error)),
  });
  return beforeTool === undefined ? hooked : markRewritesCalls(hooked);
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
