import { attempt, errorMessage } from '@kernel/internal';
import { checkToolset, describeType, KernelError, type Tool, type Toolset } from '@kernel/protocol';
import type { CallToolResult, InputRequiredResult, McpServer, Server } from '@modelcontextprotocol/server';
import type { TaskSupport } from './tasks/task-support.ts';
import { callTool } from './tools/call-tool.ts';
import { ANY_PARAMS } from '../json-rpc.ts';
import type { StateKey } from './tools/ask-client.ts';
import { listTools } from './tools/listed-tool.ts';
import { createToolsetTurns, type ToolsetTurns } from './tools/toolset-turns.ts';

/** What a server with tools keeps between the calls of a client: nothing but a key. */
export interface MountToolsOptions {
  /**
   * The key, of at least 32 bytes, with which the state of a call that asks the client is signed. Servers that serve the same clients, such as
   * processes behind a load balancer, need the same one. Default: a random one of this process.
   */
  readonly stateKey?: StateKey | undefined;
}

/**
 * Adds the tools of a toolset to a server of the official SDK, which may also have resources, prompts and so on. Returns a function that stops
 * the notifications; call it when the server is no longer needed. `serveStdio` and `serveHttp` do all this themselves.
 *
 * Mount before the server is connected. `tools/list` begins a turn of the toolset (`listFor`), and so does a first call that no list
 * preceded. If the toolset has `subscribe`, changes of its list are sent as `notifications/tools/list_changed`, once for all changes of a tick.
 * Throws `CONFIG_INVALID` for a server that already has tools or is connected.
 */
export function mountTools(server: McpServer | Server, toolset: Toolset, options: MountToolsOptions = {}): () => void {
  if (typeof server?.connect !== 'function')
    throw new KernelError('CONFIG_INVALID', `mountTools takes a server, not ${describeType(server)}.`, {
      hint: 'Pass a McpServer of @modelcontextprotocol/server first, then the toolset.',
    });
  checkToolset('mountTools', toolset);
  return mountOn(server, toolset, stateKeyOf('mountTools', options), undefined);
}

/** Mounts the tools on the server of one connection. */
export function mountOn(
  server: McpServer | Server,
  toolset: Toolset,
  stateKey: StateKey,
  tasks: TaskSupport | undefined,
): () => void {
  const turns = createToolsetTurns(toolset);
  const protocol = protocolOf(server);
  handleToolRequests(server, toolset, turns, stateKey, tasks);
  return onListChange(
    toolset,
    () => {
      if (protocol.transport !== undefined) protocol.sendToolListChanged().catch(() => {}); // it has just been closed
    },
    turns,
  );
}

/** Handles `tools/list` and `tools/call` and declares the capability; sends no notifications. */
export function handleToolRequests(
  server: McpServer | Server,
  toolset: Toolset,
  turns: ToolsetTurns,
  stateKey: StateKey,
  tasks?: TaskSupport,
): void {
  const protocol = protocolOf(server);
  const project = (result: CallToolResult, tool: Tool | undefined): CallToolResult =>
    protocol.projectCallToolResult(result, tool?.outputSchema);
  const calls = { toolset, turns, stateKey, tasks, project };
  try {
    protocol.assertCanSetRequestHandler('tools/list');
    protocol.assertCanSetRequestHandler('tools/call');
    protocol.registerCapabilities({ tools: toolset.subscribe === undefined ? {} : { listChanged: true } });
  } catch (cause) {
    throw new KernelError('CONFIG_INVALID', `Tools cannot be mounted on this server: ${errorMessage(cause)}.`, {
      hint: 'Mount one toolset, before connect(), on a server without tools; to serve several toolsets, put them into one registry.',
      cause,
    });
  }
  // By these schemas the SDK checks the arguments that a client of 2026-07-28 sends as HTTP headers, too
  // (`x-mcp-header`).
  if ('server' in server)
    Object.assign(server, { toolInputSchemaJson: (name: string) => turns.find(name)?.parameters });
  protocol.setRequestHandler('tools/list', { params: ANY_PARAMS }, async (params, mcp) => ({
    ...(await listTools(turns, params, mcp)),
  }));
  protocol.setRequestHandler('tools/call', async ({ params }, mcp) => {
    const outcome = await callTool(calls, params, mcp);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a kind of result that the types of the SDK lack
    if ('task' in outcome) return outcome.task as InputRequiredResult;
    const { result, tool } = outcome;
    return 'resultType' in result ? result : project(result, tool);
  });
  tasks?.mountOn(protocol);
}

/**
 * Calls `notify` after the list has changed, once for all changes of a tick. Changes that `turns` itself causes, by beginning a turn, do not count:
 * they are part of the list that follows. Returns a function that stops listening.
 */
export function onListChange(toolset: Toolset, notify: () => void, turns?: ToolsetTurns): () => void {
  let isScheduled = false;
  let hasEnded = false;
  const unsubscribe = toolset.subscribe?.(() => {
    if (isScheduled || turns?.isBeginning() === true) return;
    isScheduled = true;
    queueMicrotask(() => {
      isScheduled = false;
      if (!hasEnded) notify();
    });
  });
  return () => {
    hasEnded = true;
    // A toolset that breaks its contract must not keep a connection from closing.
    attempt(() => unsubscribe?.());
  };
}

const MIN_KEY_BYTES = 32;
let processKey: Uint8Array | undefined;

export function stateKeyOf(subject: string, { stateKey }: MountToolsOptions): StateKey {
  if (stateKey === undefined) return (processKey ??= crypto.getRandomValues(new Uint8Array(MIN_KEY_BYTES)));
  if (Buffer.byteLength(stateKey) >= MIN_KEY_BYTES) return stateKey;
  throw new KernelError('CONFIG_INVALID', `${subject}: stateKey has ${Buffer.byteLength(stateKey)} bytes.`, {
    hint: `Use at least ${MIN_KEY_BYTES} random bytes.`,
  });
}

export function protocolOf(server: McpServer | Server): Server {
  return 'server' in server ? server.server : server;
}
