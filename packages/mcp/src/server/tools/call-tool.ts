import { attempt, errorMessage } from '@kernel/internal';
import {
  type CallContext,
  callTool as callToolOf,
  isToolResult,
  type RunningCall,
  type Tool,
  type Toolset,
  type ToolResult,
} from '@kernel/protocol';
import type { CallToolRequestParams, CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { INVALID_PARAMS, rpcError } from '../../json-rpc.ts';
import type { CallOutcome, TaskResult } from '../tasks/task-call.ts';
import type { TaskSupport } from '../tasks/task-support.ts';
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

/** What `tools/call` works with, the same for all calls of a server. */
export interface CallServer {
  readonly toolset: Toolset;
  readonly turns: ToolsetTurns;
  readonly stateKey: StateKey;
  readonly tasks: TaskSupport | undefined;
  /** Fits a result to the version of the protocol. */
  readonly project: (result: CallToolResult, tool: Tool | undefined) => CallToolResult;
}

/**
 * Handles one `tools/call`. A tool's failure is a result with `isError`; a name that the toolset neither lists nor knows is a
 * JSON-RPC error. Cancelling the request aborts the call, unless it has become a task.
 */
export async function callTool(
  { toolset, turns, stateKey, tasks, project }: CallServer,
  params: CallToolRequestParams,
  mcp: ServerContext,
): Promise<CallOutcome | TaskResult> {
  const questions = await questionsOf(params, mcp, stateKey);
  const taskCall = tasks?.callOf(params, mcp, questions, project);
  const { signal } = taskCall ?? mcp.mcpReq;
  const conversation = conversationOf(mcp);
  await turns.ensureBegun(signal, conversation);
  const progress = createProgress(mcp);
  const context: McpCallContext & RunningCall = {
    signal,
    ...(conversation === undefined ? {} : { conversation }),
    turn: turns.current(),
    onProgress: (update) => {
      if (taskCall?.report(update) !== true) progress.send(update);
    },
    ...(taskCall === undefined ? {} : { onComplete: (late) => taskCall.onComplete(late) }),
    mcp,
    ask: (taskCall ?? questions).ask,
  };
  const tool = attempt(() => turns.find(params.name)); // a failure is reported by the call itself
  const run = async (): Promise<CallOutcome> => {
    const result = await runCall(toolset, params, context);
    const question = await questions.result();
    if (question !== undefined) return { result: question, tool };
    if (!isToolResult(result))
      return { result: unreadableToMcp(tool, params.name, 'the toolset returned something other than a result'), tool };
    if (tool === undefined && result.code === 'TOOL_NOT_FOUND')
      throw rpcError(INVALID_PARAMS, result.forLLM.toWellFormed());
    return { result: toMcpResult(result, tool), tool, ...(result.async === true ? { started: result } : {}) };
  };
  try {
    return await (taskCall === undefined ? run() : taskCall.run(run));
  } finally {
    progress.end();
  }
}

/** A toolset that rejects breaks its contract; the client still gets a result. */
async function runCall(
  toolset: Toolset,
  params: CallToolRequestParams,
  context: McpCallContext & RunningCall,
): Promise<ToolResult> {
  const call = {
    type: 'tool-call',
    id: crypto.randomUUID(),
    name: params.name,
    arguments: JSON.stringify(params.arguments ?? {}),
  } as const;
  try {
    return await callToolOf(toolset, call, context);
  } catch (error) {
    return { forLLM: `TOOL_FAILED: the toolset failed: ${errorMessage(error)}`, isError: true, code: 'TOOL_FAILED' };
  }
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
