import { attempt, errorMessage } from '@kernel/internal';
import { type CallContext, isToolResult, type Tool, type Toolset, type ToolResult } from '@kernel/protocol';
import { callValidated } from '@kernel/schema';
import type {
  CallToolRequestParams,
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';
import { INVALID_PARAMS, rpcError } from '../json-rpc.ts';
import { type AskClient, questionsOf, type StateKey } from './ask-client.ts';
import { conversationOf, type ToolsetTurns } from './toolset-turns.ts';
import { toMcpResult, unreadableToMcp } from './to-mcp-result.ts';

/**
 * The context of a call that came over MCP. Through `mcp`, the SDK's context of the request, a toolset or a wrapper around one can reach the
 * client (sampling, elicitation, logging). A handler of the registry does not get it.
 */
export interface McpCallContext extends CallContext {
  /** The SDK's context of the request. */
  readonly mcp: ServerContext;
  /** Asks the client in the middle of the call, whatever version of the protocol it speaks. */
  readonly ask: AskClient;
}

/** Whether a call came over MCP, so that its context has `mcp`. */
export function isMcpCall(context: CallContext): context is McpCallContext {
  return 'mcp' in context && typeof context.mcp === 'object' && context.mcp !== null;
}

/**
 * Handles one `tools/call`. A tool's failure is a result with `isError`; a name that the toolset neither lists nor knows is a
 * JSON-RPC error. Cancelling the request aborts the call.
 */
export async function callTool(
  toolset: Toolset,
  turns: ToolsetTurns,
  params: CallToolRequestParams,
  mcp: ServerContext,
  stateKey: StateKey,
): Promise<{ readonly result: CallToolResult | InputRequiredResult; readonly tool: Tool | undefined }> {
  const { signal } = mcp.mcpReq;
  const questions = await questionsOf(params, mcp, stateKey);
  const conversation = conversationOf(mcp);
  await turns.ensureBegun(signal, conversation);
  const progress = createProgress(mcp);
  const context: McpCallContext = {
    signal,
    ...(conversation === undefined ? {} : { conversation }),
    turn: turns.current(),
    onProgress: (update) => progress.send(update),
    mcp,
    ask: questions.ask,
  };
  const tool = findTool(turns, params.name);
  try {
    const result = await runCall(toolset, tool, params, context);
    const question = await questions.result();
    if (question !== undefined) return { result: question, tool };
    if (!isToolResult(result))
      return { result: unreadableToMcp(tool, params.name, 'the toolset returned something other than a result'), tool };
    if (tool === undefined && result.code === 'TOOL_NOT_FOUND')
      throw rpcError(INVALID_PARAMS, result.forLLM.toWellFormed());
    return { result: toMcpResult(result, tool), tool };
  } finally {
    progress.end();
  }
}

/** A toolset whose `call` rejects breaks its contract; the client still gets a result. */
async function runCall(
  toolset: Toolset,
  tool: Tool | undefined,
  params: CallToolRequestParams,
  context: McpCallContext,
): Promise<ToolResult> {
  const call = {
    type: 'tool-call',
    id: crypto.randomUUID(),
    name: params.name,
    arguments: JSON.stringify(params.arguments ?? {}),
  } as const;
  try {
    return await (tool === undefined ? toolset.call(call, context) : callValidated(toolset, tool, call, context));
  } catch (error) {
    return { forLLM: `TOOL_FAILED: the toolset failed: ${errorMessage(error)}`, isError: true, code: 'TOOL_FAILED' };
  }
}

function findTool(turns: ToolsetTurns, name: string): Tool | undefined {
  return attempt(() => turns.tools().find((tool) => tool.name === name)); // a failure is reported by the call itself
}

/** Sends progress of a running call to a client that asked for it. Updates are texts, so `progress` counts them. */
function createProgress({ mcpReq }: ServerContext): { send(update: string): void; end(): void } {
  const { _meta: meta } = mcpReq;
  const progressToken = meta?.progressToken;
  let progress = 0;
  let hasEnded = false;
  return {
    send(update) {
      if (hasEnded || progressToken === undefined || mcpReq.signal.aborted) return;
      progress += 1;
      const params = { progressToken, progress, message: update.toWellFormed() };
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {}); // the client has disconnected
    },
    end() {
      hasEnded = true;
    },
  };
}
