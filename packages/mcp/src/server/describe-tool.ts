import type { JsonSchema, Tool, ToolEffect } from '@kernel/protocol';

/** A tool as `tools/list` tells it. Its `inputSchema` is the very object `tool.parameters`, if that says its type. */
export type ListedTool = Readonly<Record<string, unknown>>;

const described = new WeakMap<Tool, ListedTool>();

/**
 * Returns the entry of `tools/list` for a tool: the same object for the same tool. Category, optionality and usage hint stand in
 * `_meta` when they are set. Throws a `TypeError` for a tool that JSON cannot hold.
 */
export function describeTool(tool: Tool): ListedTool {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const { category, optionality, usageHint } = tool.metadata ?? {};
  const meta = set({ category, optionality, usageHint });
  const listed = Object.freeze({
    name: tool.name,
    ...set({ title: tool.title }),
    description: tool.description,
    inputSchema: ofObjects(tool.parameters),
    ...set({ outputSchema: tool.outputSchema }),
    annotations: annotationsOf(tool.effect),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  });
  JSON.stringify(listed); // here it fails for this tool, later it would leave the client without an answer
  described.set(tool, listed);
  return listed;
}

/** A schema without `type` gets the one that MCP asks for: clients refuse the whole list for one entry that lacks it. */
function ofObjects(schema: JsonSchema): JsonSchema {
  return 'type' in schema ? schema : { type: 'object', ...schema };
}

/** The hints of MCP; one that is absent is not known. A client takes an absent `destructiveHint` and `openWorldHint` for true. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

const HINTS: Readonly<Record<ToolEffect, ToolHints>> = {
  // What reads may look anywhere, and what gives the same each time may overwrite: those two hints are not ours to give.
  read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  idempotent: { readOnlyHint: false, idempotentHint: true },
  write: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  external: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

function annotationsOf(effect: ToolEffect | undefined): ToolHints {
  return HINTS[effect ?? 'external'];
}

function set(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
