import { isObject, errorMessage } from '@kernel/internal';
import type { ServerContext } from '@modelcontextprotocol/server';
import { INTERNAL_ERROR, INVALID_PARAMS, rpcError } from '../rpc-error.ts';
import { conversationOf } from './conversation.ts';
import { type ListedTool, toListedTool } from './listed-tool.ts';
import type { ToolsetTurns } from './toolset-turns.ts';

/**
 * Handles one `tools/list`: begins a turn, then lists all tools on one page, in the order of the toolset. Throws a JSON-RPC error for a
 * cursor, since no page has a next one, and for a toolset that fails.
 */
export async function listTools(
  turns: ToolsetTurns,
  params: unknown,
  mcp: ServerContext,
): Promise<{ readonly tools: readonly ListedTool[] }> {
  const cursor = isObject(params) ? params['cursor'] : undefined;
  if (cursor !== undefined) {
    const what = typeof cursor === 'string' ? `"${cursor}"` : `a ${typeof cursor}`;
    throw rpcError(INVALID_PARAMS, `Unknown cursor ${what}: all tools are on one page.`);
  }
  try {
    const tools = await turns.begin(mcp.mcpReq.signal, conversationOf(mcp));
    return { tools: tools.map((tool) => toListedTool(tool)) };
  } catch (error) {
    throw rpcError(INTERNAL_ERROR, `The tools cannot be listed: ${errorMessage(error)}`, error);
  }
}
