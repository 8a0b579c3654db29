import type { Toolset } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';
import { conversationOf } from './conversation.ts';
import { describeTool, type ListedTool } from './describe-tool.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, messageOf, protocolError } from './protocol-error.ts';
import type { Turns } from './turns.ts';

/**
 * Answers one `tools/list`: begins a turn, then lists every tool on one page, in the toolset's order. Throws a JSON-RPC error for a
 * cursor, which we never gave, and for a toolset that fails.
 */
export async function listTools(
  toolset: Toolset,
  turns: Turns,
  params: unknown,
  mcp: ServerContext,
): Promise<{ readonly tools: readonly ListedTool[] }> {
  const cursor = typeof params === 'object' && params !== null && 'cursor' in params ? params.cursor : undefined;
  if (cursor !== undefined) {
    const what = typeof cursor === 'string' ? `"${cursor}"` : `a ${typeof cursor}`;
    throw protocolError(INVALID_PARAMS, `Unknown cursor ${what}: all tools stand on one page.`);
  }
  try {
    await turns.begin(mcp.mcpReq.signal, conversationOf(mcp));
    return { tools: toolset.list().map((tool) => describeTool(tool)) };
  } catch (error) {
    throw protocolError(INTERNAL_ERROR, `The tools cannot be listed: ${messageOf(error)}`, error);
  }
}
