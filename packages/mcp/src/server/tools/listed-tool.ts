import { definedFields, errorMessage, isObject, wellFormed } from '@kernel/internal';
import type { JsonSchema, Tool, ToolEffect } from '@kernel/protocol';
import type { ServerContext } from '@modelcontextprotocol/server';
import { INTERNAL_ERROR, INVALID_PARAMS, rpcError } from '../../json-rpc.ts';
import { conversationOf, type ToolsetTurns } from './toolset-turns.ts';

/** An entry of `tools/list`. Its `inputSchema` is the very object `tool.parameters`, if that has a `type`. */
export type ListedTool = Readonly<Record<string, unknown>>;

const cache = new WeakMap<Tool, ListedTool>();

/**
 * Returns the entry of `tools/list` for a tool: the same object for the same tool. Category, optionality and usage hint, if set, go to
 * `_meta`. Throws a `TypeError` for a tool that cannot be JSON.
 */
export function toListedTool(tool: Tool): ListedTool {
  const cached = cache.get(tool);
  if (cached !== undefined) return cached;
  const { category, optionality, usageHint } = tool.metadata ?? {};
  const meta = definedFields({ category, optionality, usageHint });
  const entry = definedFields({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: withObjectType(tool.parameters),
    outputSchema: tool.outputSchema,
    annotations: HINTS[tool.effect ?? 'external'],
    _meta: Object.keys(meta).length === 0 ? undefined : meta,
  });
  const listed = Object.freeze(wellFormed(entry));
  JSON.stringify(listed); // throws here for this tool; later it would leave the client without a response
  cache.set(tool, listed);
  return listed;
}

/** Adds the `type` that MCP requires to a schema without one: clients refuse the whole list for one entry that lacks it. */
function withObjectType(schema: JsonSchema): JsonSchema {
  return 'type' in schema ? schema : { type: 'object', ...schema };
}

/** MCP's hints; an absent one is unknown. Clients assume true for an absent `destructiveHint` and `openWorldHint`. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

const HINTS: Readonly<Record<ToolEffect, ToolHints>> = {
  // A tool that reads may read from anywhere, and an idempotent one may overwrite: the effect does not say, so those hints are absent.
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  idempotent: { readOnlyHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  external: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

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
