import { KernelError, toErrorResult, type Tool, type Toolset } from '@kernel/protocol';
import { callRemoteTool, type CallTarget, unavailableResult, validateCall } from './calls/call-remote-tool.ts';

/** Calls and validates the tools of servers. Neither ever rejects. */
export function createRemoteCalls(
  servers: readonly CallTarget[],
  isClosed: () => boolean,
): Required<Pick<Toolset, 'call' | 'validate'>> {
  return {
    async call(call, context) {
      if (isClosed()) return toErrorResult(closedError(call.name));
      const target = servers.find(({ tools }) => tools.has(call.name));
      const tool = target?.tools.find(call.name)?.tool;
      if (target === undefined || tool === undefined) return unavailableResult(call.name, target?.tools);
      const result = await callRemoteTool(call, tool, context, target);
      // A call that was sent says itself what is known of it.
      return isClosed() && result.code === 'TOOL_UNAVAILABLE' ? toErrorResult(closedError(call.name)) : result;
    },
    async validate(call) {
      if (isClosed()) return toErrorResult(closedError(call.name));
      const find = (): Tool | undefined => servers.map(({ tools }) => tools.find(call.name)?.tool).find(Boolean);
      const tool = find();
      return tool === undefined
        ? unavailableResult(call.name, servers.find(({ tools }) => tools.isQuarantined(call.name))?.tools)
        : validateCall(call, tool, () => !isClosed() && find() === tool);
    },
  };
}

function closedError(name: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `"${name}" is not available: the MCP connection is closed.`, {
    data: { tool: name },
  });
}
