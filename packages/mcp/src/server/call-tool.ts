import { type CallContext, isToolResult, type Tool, type Toolset, type ToolResult } from '@kernel/protocol';
import type { CallToolRequestParams, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { conversationOf } from './conversation.ts';
import { INVALID_PARAMS, messageOf, protocolError } from './protocol-error.ts';
import { failed, toMcpResult } from './to-mcp-result.ts';
import type { Turns } from './turns.ts';

/**
 * What a call gets that came over MCP. `mcp` is the SDK's context of the request: a toolset, or a wrapper round one, asks the client
 * through it (sampling, elicitation, logging). A handler of the registry does not see it.
 */
export interface McpCallContext extends CallContext {
  readonly mcp: ServerContext;
}

/** Says whether a call came over MCP, so that its context has `mcp`. */
export function isMcpCall(context: CallContext): context is McpCallContext {
  return 'mcp' in context && typeof context.mcp === 'object' && context.mcp !== null;
}

/**
 * Answers one `tools/call`. A tool's failure is a result with `isError`; a name that the toolset neither lists nor knows is a
 * JSON-RPC error. The request's cancellation aborts the call.
 */
export async function callTool(
  toolset: Toolset,
  turns: Turns,
  params: CallToolRequestParams,
  mcp: ServerContext,
): Promise<{ readonly result: CallToolResult; readonly tool: Tool | undefined }> {
  const { signal } = mcp.mcpReq;
  const conversation = conversationOf(mcp);
  await turns.ensureBegun(signal, conversation);
  const progress = progressOf(mcp);
  const context: McpCallContext = {
    signal,
    ...(conversation === undefined ? {} : { conversation }),
    onProgress: (update) => progress.tell(update),
    mcp,
  };
  const tool = findTool(toolset, params.name);
  try {
    const result = await run(toolset, params, context);
    if (!isToolResult(result)) return { result: failed('TOOL_FAILED: the toolset gave no result.'), tool };
    if (tool === undefined && result.code === 'TOOL_NOT_FOUND') throw protocolError(INVALID_PARAMS, result.forLLM);
    return { result: toMcpResult(result, tool), tool };
  } finally {
    progress.end();
  }
}

/** A toolset whose `call` rejects breaks its port; the client still gets a result. */
async function run(toolset: Toolset, params: CallToolRequestParams, context: McpCallContext): Promise<ToolResult> {
  const call = {
    type: 'tool-call',
    id: crypto.randomUUID(),
    name: params.name,
    arguments: JSON.stringify(params.arguments ?? {}),
  } as const;
  try {
    return await toolset.call(call, context);
  } catch (error) {
    return { forLLM: `TOOL_FAILED: the toolset failed: ${messageOf(error)}`, isError: true, code: 'TOOL_FAILED' };
  }
}

function findTool(toolset: Toolset, name: string): Tool | undefined {
  try {
    return toolset.list().find((tool) => tool.name === name);
  } catch {
    return undefined; // the call itself will tell
  }
}

/** Sends progress while the call runs, to a client that asked for it: our updates are texts, so `progress` counts them. */
function progressOf({ mcpReq }: ServerContext): { tell(update: string): void; end(): void } {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  let progress = 0;
  let isOver = progressToken === undefined;
  return {
    tell(update) {
      if (isOver || progressToken === undefined || mcpReq.signal.aborted) return;
      progress += 1;
      const params = { progressToken, progress, message: update };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client has gone
    },
    end() {
      isOver = true;
    },
  };
}
