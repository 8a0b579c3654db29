import { KernelError, type Toolset } from '@kernel/protocol';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { callTool } from './call-tool.ts';
import { listTools } from './list-tools.ts';
import { messageOf } from './protocol-error.ts';
import { createTurns, type Turns } from './turns.ts';

/**
 * Adds the tools of a toolset to a server of the official SDK, which may also have resources, prompts and the rest. Returns an undo that
 * stops the notifications; call it when the server is done with. `serveStdio` and `serveHttp` do all that by themselves.
 *
 * Mount before the server is connected. `tools/list` begins a turn of the toolset (`beginTurn`), and so does a first call without a
 * list. A change of the list is told as `notifications/tools/list_changed`, once for all changes of a tick, if the toolset can
 * `subscribe`. Throws `CONFIG_INVALID` for a server that already has tools of its own or is connected.
 */
export function mountTools(server: McpServer | Server, toolset: Toolset): () => void {
  const turns = createTurns(toolset);
  answerTools(server, toolset, turns);
  return onListChange(
    toolset,
    () => {
      const { transport } = protocolOf(server);
      if (transport !== undefined)
        protocolOf(server)
          .sendToolListChanged()
          .catch(() => {}); // it has just been closed
    },
    turns,
  );
}

/** Answers `tools/list` and `tools/call`, and declares the capability; tells of no changes. */
export function answerTools(server: McpServer | Server, toolset: Toolset, turns: Turns): void {
  const protocol = protocolOf(server);
  try {
    protocol.assertCanSetRequestHandler('tools/list');
    protocol.assertCanSetRequestHandler('tools/call');
    protocol.registerCapabilities({ tools: toolset.subscribe === undefined ? {} : { listChanged: true } });
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `Tools cannot be mounted on this server: ${messageOf(cause)}.`, {
      hint: 'Mount one toolset, before connect(), on a server without tools of its own; put several toolsets into one registry.',
      cause,
    });
  }
  protocol.setRequestHandler('tools/list', { params: ANY_PARAMS }, async (params, mcp) => ({
    ...(await listTools(toolset, turns, params, mcp)),
  }));
  protocol.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const { result, tool } = await callTool(toolset, turns, params, mcp);
    return protocol.projectCallToolResult(result, tool?.outputSchema);
  });
}

/** Calls `tell` after the list has changed, once for all changes of a tick. With `own`, not for what the client's own list brought about. */
export function onListChange(toolset: Toolset, tell: () => void, own?: Turns): () => void {
  let isWaiting = false;
  let isLeft = false;
  const leave = toolset.subscribe?.(() => {
    if (isWaiting || own?.isBeginning() === true) return;
    isWaiting = true;
    queueMicrotask(() => {
      isWaiting = false;
      if (!isLeft) tell();
    });
  });
  return () => {
    isLeft = true;
    try {
      leave?.();
    } catch {
      // A toolset that breaks its port must not keep a connection from ending.
    }
  };
}

/** Returns the SDK's protocol object of a server. */
export function protocolOf(server: McpServer | Server): Server {
  return 'server' in server ? server.server : server;
}

/** A schema that takes anything: `listTools` looks at the parameters itself, so that a wrong one gets the right code. */
const ANY_PARAMS = {
  '~standard': {
    version: 1,
    vendor: 'kernel',
    validate: (value: unknown) => ({ value }),
  },
} as const;
