import { type BeforeTool, withHooks } from '@kernel/agent';
import { type Approve, isToolResult, type Toolset } from '@kernel/protocol';

/**
 * Asks before each call that may change something, where no run does: about the arguments that the tool would get, as a run does, and not about a call that
 * could not run. A call that is not allowed has the result `TOOL_DENIED`.
 */
export function withApproval(toolset: Toolset, approve: Approve): Toolset {
  const checked = withHooks(toolset, {});
  return withHooks(toolset, {
    async beforeTool(call, context): Promise<BeforeTool | undefined> {
      const tool = toolset.list().find(({ name }) => name === call.name);
      if (tool === undefined || tool.effect === 'read') return undefined;
      const valid = await checked.validate?.(call, context);
      if (valid !== undefined && isToolResult(valid)) return { action: 'answer', result: valid };
      const asked = { ...call, arguments: valid?.arguments ?? call.arguments };
      const decision = await approve({ call: asked, tool, path: [], digest: '', signal: context.signal });
      switch (decision.decision) {
        case 'allow':
          return undefined;
        case 'edit':
          return { action: 'change', call: { ...call, arguments: decision.arguments } };
        case 'deny':
          return { action: 'deny', reason: decision.reason };
        case 'later':
          return { action: 'deny', reason: 'The call needs an approval, and nobody can be asked.' };
      }
    },
  });
}
