import { errorMessage } from '@kernel/internal';
import {
  type CallContext,
  isToolResult,
  KernelError,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type TurnContext,
  type ValidatedCall,
} from '@kernel/protocol';
import { deniedError } from './approval.ts';
import { callDigest, toolDigest } from './call-digest.ts';
import { readResult } from '../loop/call-toolset.ts';
import { findTool } from '../loop/offered-tools.ts';

/** A call as it would run. */
export interface CheckedCall {
  /** The tool that it would run. */
  readonly tool: Tool;
  /** The arguments that the handler would get, as JSON text. */
  readonly arguments: string;
  readonly digest: string;
  /** What the toolset is to run; undefined for a toolset that cannot validate. */
  readonly approved: ValidatedCall | undefined;
  /** Whether the call would still run the same. */
  isCurrent(): boolean;
}

/** Finds out what a call would run with: the failed result of a call that cannot run, without asking anybody. Never rejects. */
export async function validateCall(
  tools: Toolset | undefined,
  call: ToolCall,
  context: CallContext,
): Promise<CheckedCall | ToolResult> {
  try {
    const listed = findTool(tools, call.name, context.turn);
    if (tools === undefined || listed === undefined)
      return toErrorResult(deniedError(call, 'the tool no longer exists.'), 'denied');
    const approved = await tools.validate?.(call, context);
    if (approved !== undefined && isToolResult(approved)) return readResult(approved);
    // What the toolset has validated says itself whether it was removed; any other tool must still be listed.
    const isListed = isSameAsListed(tools, listed, approved === undefined ? undefined : context.turn);
    if (approved === undefined) return check(listed, call.arguments, undefined, isListed);
    // A hook may have put another tool in place of this one.
    const tool = approved.tool.name === call.name ? listed : approved.tool;
    return check(tool, approved.arguments, approved, () => isListed() && approved.isCurrent());
  } catch (error) {
    const why = errorMessage(error);
    return toErrorResult(
      new KernelError('TOOL_FAILED', `"${call.name}" could not be validated: ${why}`, { cause: error }),
    );
  }
}

function check(tool: Tool, text: string, approved: ValidatedCall | undefined, isCurrent: () => boolean): CheckedCall {
  return { tool, arguments: text, digest: callDigest(tool, text), approved, isCurrent };
}

/** Whether the toolset still lists a tool, or one that a model cannot tell from it. */
export function isSameAsListed(tools: Toolset, tool: Tool, turn: TurnContext | undefined): () => boolean {
  const digest = toolDigest(tool);
  return () => {
    const listed = findTool(tools, tool.name, turn);
    return listed !== undefined && toolDigest(listed) === digest;
  };
}
