/**
 * Seed 000's module-level functions over one default registry, for small programs. Opt-in: the registry is made at the first use,
 * importing this registers nothing, and no other registry shares anything with it.
 */
import type { JsonObject, Tool, ToolContext, ToolResult } from '@kernel/protocol';
import type { RawArguments } from '../arguments/parse.ts';
import { bindTool } from '../tool/bind-tool.ts';
import type { ToolBinding } from '../tool/binding.ts';
import { once } from '../tool/check-tool.ts';
import { type ExecuteOptions, type ToolRegistry, createRegistry } from '../registry/registry.ts';

/** What a tool's work is written as here. */
export type CatalogHandler = (input: JsonObject, context: ToolContext) => unknown;

/** The registry behind the functions of this module. */
export const catalog: () => ToolRegistry = once(() => createRegistry());

/** Adds a tool. Throws `TOOL_ALREADY_EXISTS` or `TOOL_NAME_INVALID`. */
export function register(tool: Tool, handler: CatalogHandler): void {
  catalog().register(bindTool(tool, handler));
}

/** Swaps a registered tool. Throws `TOOL_NOT_FOUND`. */
export function replace(tool: Tool, handler: CatalogHandler): void {
  catalog().replace(bindTool(tool, handler));
}

/** The binding under a name, with its handler; `undefined` when there is none. */
export function get(name: string): ToolBinding | undefined {
  return catalog().get(name);
}

/** All tools in order of registration. */
export function list(): readonly Tool[] {
  return catalog().list();
}

/** Runs a tool by name. Never rejects. */
export function execute(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult> {
  return catalog().execute(name, args, options);
}
