import {
  type Approve,
  errorResult,
  isToolResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
} from '@kernel/protocol';

/** A call that waits for the user, with the arguments that its tool would get. */
export interface WaitingCall {
  readonly call: ToolCall;
  readonly approved: ValidatedCall | undefined;
}

export type AppCallOutcome = { readonly result: ToolResult } | { readonly waiting: WaitingCall };

/** Decides on a call that an app makes as on one of a model: what only reads runs, and what may change something runs once it is allowed. */
export async function decideAppCall(
  call: ToolCall,
  tools: Toolset,
  approve: Approve,
  signal: AbortSignal,
): Promise<AppCallOutcome> {
  const tool = tools.list().find(({ name }) => name === call.name);
  if (tool === undefined) return { result: errorResult(`TOOL_NOT_FOUND: there is no tool "${call.name}".`) };
  const valid = await tools.validate?.(call, { signal });
  if (valid !== undefined && isToolResult(valid)) return { result: valid };
  const asked = { ...call, arguments: valid?.arguments ?? call.arguments };
  const waiting = { call: asked, approved: valid };
  if (tool.effect !== 'read') {
    const decision = await approve({ call: asked, tool, path: [], digest: '', signal });
    if (decision.decision === 'deny') return { result: errorResult(`TOOL_DENIED: ${decision.reason}`) };
    if (decision.decision !== 'allow') return { waiting };
  }
  return { result: await runAppCall(waiting, tools, signal) };
}

export function runAppCall({ approved, call }: WaitingCall, tools: Toolset, signal: AbortSignal): Promise<ToolResult> {
  return tools.call(call, { signal, ...(approved === undefined ? {} : { approved }) });
}
