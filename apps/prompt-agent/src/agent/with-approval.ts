import { type BeforeTool, withHooks } from '@kernel/agent';
import type { Toolset, Approve } from '@kernel/protocol';

/** Asks before each call that may change something, where no run does. A call that is not allowed has the result `TOOL_DENIED`. */
export function withApproval(toolset: Toolset, approve: Approve): Toolset {
  return withHooks(toolset, {
    async beforeTool(call, { signal }): Promise<BeforeTool | undefined> {
      const tool = toolset.list().find(({ name }) => name === call.name);
      if (tool === undefined || tool.effect === 'read') return undefined;
      const decision = await approve({ call, tool, path: [], digest: '', signal });
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
