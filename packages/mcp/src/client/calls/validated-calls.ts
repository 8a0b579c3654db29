import {
  changedCallError,
  type KernelError,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type ValidatedCall,
} from '@kernel/protocol';
import { annotateResult, type ValidatedArguments, validateForeign } from '@kernel/schema';

export interface CheckedCall extends ValidatedArguments {
  readonly tool: Tool;
}

/** What was validated, with the call that it was validated for. */
const validated = new WeakMap<ValidatedCall, { readonly call: ToolCall; readonly checked: CheckedCall }>();

export function validateCall(call: ToolCall, tool: Tool, isCurrent: () => boolean): ValidatedCall | ToolResult {
  const checked = { ...validateForeign(tool, call.arguments), tool };
  if (checked.error !== undefined) return refusedCall(checked.error, checked);
  const approved = Object.freeze({ tool, arguments: JSON.stringify(checked.input), isCurrent });
  validated.set(approved, { call, checked });
  return approved;
}

/** Validates the arguments of a call of a tool, or returns those that were approved. Another call than the approved one is denied. */
export function checkCall(call: ToolCall, tool: Tool, approved: ValidatedCall | undefined): CheckedCall {
  if (approved === undefined) return { ...validateForeign(tool, call.arguments), tool };
  const known = validated.get(approved);
  const isSame = known?.call.name === call.name && known.call.arguments === call.arguments;
  if (isSame && known.checked.tool === tool) return known.checked;
  return { error: changedCallError(call.name), repairs: [], notes: [], tool };
}

export function refusedCall(error: KernelError, checked: ValidatedArguments): ToolResult {
  return annotateResult(toErrorResult(error, error.code === 'TOOL_DENIED' ? 'denied' : undefined), checked);
}
