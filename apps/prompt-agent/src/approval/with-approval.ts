import {
  type Approve,
  type CallContext,
  isToolResult,
  KernelError,
  type PreparedCall,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  wrapToolset,
} from '@kernel/protocol';

/**
 * Decides on a call that is made outside of a run as on one of a model: a read is allowed, and anything else is asked
 * about, as it was prepared. Resolves to the prepared call if it may run, to a failed result if it may not, or to the
 * call that waits for a decision.
 */
export async function decideOnCall(
  tools: Toolset,
  call: ToolCall,
  approve: Approve,
  context: CallContext,
): Promise<PreparedCall | ToolResult | { readonly waiting: PreparedCall }> {
  const prepared = await tools.prepare(call, context);
  if (isToolResult(prepared)) return prepared;
  const { arguments: text, tool } = prepared;
  const needsApproval = prepared.needsApproval ?? tool.effect !== 'read';
  if (!needsApproval) return prepared;
  const shown = { ...call, name: tool.name, arguments: text };
  const decision = await approve({ call: shown, tool, path: [], digest: '', signal: context.signal });
  switch (decision.decision) {
    case 'allow':
      return prepared;
    case 'edit': {
      const edited = await tools.prepare({ ...call, arguments: decision.arguments }, context);
      if (isToolResult(edited) || edited.tool.name === tool.name) return edited;
      return deniedResult(call, `with the edited arguments it is a call of "${edited.tool.name}".`);
    }
    case 'deny':
      return deniedResult(call, decision.reason);
    case 'later':
      return { waiting: prepared };
  }
}

/** Asks about each call as it is prepared, outside of a run. A refused call is the failed result `TOOL_DENIED`. */
export function withApproval(tools: Toolset, approve: Approve): Toolset {
  return wrapToolset(tools, {
    async prepare(call, context) {
      const decided = await decideOnCall(tools, call, approve, context);
      if ('waiting' in decided) return deniedResult(call, 'it needs an approval, and nobody can be asked.');
      return isToolResult(decided) ? decided : { ...decided, needsApproval: false };
    },
  });
}

function deniedResult({ name }: ToolCall, reason: string): ToolResult {
  return toErrorResult(new KernelError('TOOL_DENIED', `"${name}" was not allowed: ${reason}`), 'denied');
}
