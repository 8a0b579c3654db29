import { KernelError, type Tool, type ToolCall } from '@kernel/protocol';

/** Decides on a call before any call of its batch runs. A throw, a late answer and an abort count as a denial. */
export type Approve = (request: {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly signal: AbortSignal;
}) => ApprovalDecision | Promise<ApprovalDecision>;

/** A decision on a call. `edit` runs the call with other arguments (JSON text); `later` ends the run with reason `approval`. */
export type ApprovalDecision =
  | { readonly decision: 'allow' }
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly decision: 'edit'; readonly arguments: string }
  | { readonly decision: 'later' };

/** Whether calls of a tool need approval: those with effect `write`, `external` or none do. */
export function needsApproval(tool: Tool): boolean {
  return tool.effect !== 'read' && tool.effect !== 'idempotent';
}

/** Asks for a decision. Never rejects: whatever goes wrong is a denial with its reason. */
export async function requestDecision(
  approve: Approve,
  call: ToolCall,
  tool: Tool,
  signal: AbortSignal,
): Promise<ApprovalDecision> {
  try {
    const answer = await approve({ call, tool, signal });
    if (signal.aborted) return { decision: 'deny', reason: 'The run was aborted before a decision.' };
    return isDecision(answer) ? answer : { decision: 'deny', reason: 'The approval returned no valid decision.' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { decision: 'deny', reason: `The approval failed: ${why}` };
  }
}

/** The error of a call that was not allowed. */
export function deniedError(call: ToolCall, reason: string): KernelError {
  return new KernelError('TOOL_DENIED', `"${call.name}" was not allowed: ${reason}`);
}

function isDecision(value: unknown): value is ApprovalDecision {
  if (typeof value !== 'object' || value === null || !('decision' in value)) return false;
  switch (value.decision) {
    case 'allow':
    case 'later':
      return true;
    case 'deny':
      return 'reason' in value && typeof value.reason === 'string';
    case 'edit':
      return 'arguments' in value && typeof value.arguments === 'string';
    default:
      return false;
  }
}
