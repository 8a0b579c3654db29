import { KernelError, toErrorResult, type Toolset } from '@kernel/protocol';
import { type CallTarget, prepareRemoteCall, unavailableResult } from './calls/call-remote-tool.ts';

/** Prepares the calls of the tools of servers. Never rejects. */
export function createRemoteCalls(servers: readonly CallTarget[], isClosed: () => boolean): Pick<Toolset, 'prepare'> {
  return {
    prepare(call, context) {
      if (isClosed()) return toErrorResult(closedError(call.name));
      const target = servers.find(({ tools }) => tools.has(call.name));
      const tool = target?.tools.find(call.name)?.tool;
      if (target === undefined || tool === undefined)
        return unavailableResult(
          call.name,
          (target ?? servers.find(({ tools }) => tools.isQuarantined(call.name)))?.tools,
        );
      const prepared = prepareRemoteCall(call, tool, context, target);
      if ('forLLM' in prepared) return prepared;
      return {
        ...prepared,
        async run(running) {
          if (isClosed()) return toErrorResult(closedError(call.name));
          const result = await prepared.run(running);
          // A call that was sent says itself what is known of it.
          return isClosed() && result.code === 'TOOL_UNAVAILABLE' ? toErrorResult(closedError(call.name)) : result;
        },
      };
    },
  };
}

function closedError(name: string): KernelError {
  return new KernelError('TOOL_UNAVAILABLE', `"${name}" is not available: the MCP connection is closed.`, {
    data: { tool: name },
  });
}
