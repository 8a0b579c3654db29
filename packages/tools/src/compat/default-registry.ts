import type { JsonObject, Tool, ToolResult } from '@kernel/protocol';
import type { RawArguments } from '@kernel/schema';
import { once } from '../once.ts';
import type { ToolBinding, ToolHandler } from '../tool/binding.ts';
import type { ExecuteOptions } from '../registry/options.ts';
import { createRegistry } from '../registry/registry.ts';
import type { ToolRegistry } from '../registry/types.ts';
import { bindTool } from '../tool/bind-tool.ts';

/** Returns the registry behind the functions of this module. Created at the first call; shares nothing with any other registry. */
export const defaultRegistry: () => ToolRegistry = once(() => createRegistry());

/**
 * Adds a tool to the default registry. Throws `TOOL_ALREADY_EXISTS` or `TOOL_NAME_INVALID`.
 *
 * @example
 * ```ts
 * import { execute, register } from '@kernel/tools/compat';
 *
 * register({ name: 'clock', description: 'Tells the time.', parameters: { type: 'object' } }, () => new Date().toISOString());
 * const { forLLM } = await execute('clock', '{}');
 * ```
 */
export function register(tool: Tool, handler: ToolHandler<JsonObject>): void {
  defaultRegistry().register(bindTool(tool, handler));
}

/** Replaces a tool of the default registry. Throws `TOOL_NOT_FOUND`. */
export function replace(tool: Tool, handler: ToolHandler<JsonObject>): void {
  defaultRegistry().replace(bindTool(tool, handler));
}

/** Returns the binding of a name, with its handler; `undefined` if it is not registered. */
export function get(name: string): ToolBinding | undefined {
  return defaultRegistry().get(name);
}

/** Returns all tools in order of registration. */
export function list(): readonly Tool[] {
  return defaultRegistry().list();
}

/** Runs a tool by name. Never rejects. */
export function execute(name: string, args?: RawArguments, options?: ExecuteOptions): Promise<ToolResult> {
  return defaultRegistry().execute(name, args, options);
}
