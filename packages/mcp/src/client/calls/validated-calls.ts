import {
  changedCallError,
  KernelError,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type ValidatedCall,
} from '@kernel/protocol';
import { type ParsedArguments, parseArguments } from './call-arguments.ts';

/** A call whose arguments are parsed. */
export interface ParsedCall extends ParsedArguments {
  /** The tool that they were parsed for. */
  readonly tool: Tool;
}

/** What was validated, with the call that it was validated for. */
const validated = new WeakMap<ValidatedCall, { readonly call: ToolCall; readonly parsed: ParsedCall }>();

/** Validates a call of a tool as far as a client can: what the schema says is for the server to check. */
export function validateCall(call: ToolCall, tool: Tool, isCurrent: () => boolean): ValidatedCall | ToolResult {
  const parsed = parseArguments(call.arguments, tool);
  if (KernelError.is(parsed)) return toErrorResult(parsed);
  const approved = Object.freeze({ tool, arguments: JSON.stringify(parsed.input), isCurrent });
  validated.set(approved, { call, parsed: { ...parsed, tool } });
  return approved;
}

/** Parses the arguments of a call of a tool, or returns those that were approved. Another call than the approved one is denied. */
export function parseCall(call: ToolCall, tool: Tool, approved: ValidatedCall | undefined): ParsedCall | KernelError {
  if (approved === undefined) {
    const parsed = parseArguments(call.arguments, tool);
    return KernelError.is(parsed) ? parsed : { ...parsed, tool };
  }
  const known = validated.get(approved);
  const isSame = known?.call.name === call.name && known.call.arguments === call.arguments;
  return isSame && known.parsed.tool === tool ? known.parsed : changedCallError(call.name);
}
