import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ToolBinding } from '@kernel/tools';
import { usageFault } from '../usage-fault.ts';

interface Exports {
  readonly default?: unknown;
  readonly tools?: unknown;
}

/**
 * Loads a module of tools: an ES module whose default export, or export `tools`, is a list of what `defineTool` and `bindTool` of
 * `@kernel/tools` make. Runs the module. Throws a usage fault that names the file, and the entry where one is at fault.
 */
export async function loadModuleTools(file: string, cwd: string): Promise<readonly ToolBinding[]> {
  const loaded: Exports = await import(pathToFileURL(resolve(cwd, file)).href).catch((error: unknown) => {
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw usageFault(`--tools: "${file}" cannot be loaded: ${why ?? ''}`);
  });
  const { default: standard, tools } = loaded;
  const list = Array.isArray(standard) ? standard : tools;
  if (!Array.isArray(list))
    throw usageFault(`--tools: "${file}" exports no list of tools, neither as its default nor as "tools".`);
  return list.map((entry: unknown, index) => {
    if (isBinding(entry)) return entry;
    throw usageFault(
      `--tools: entry ${index} of "${file}" is no tool that defineTool or bindTool of @kernel/tools has made.`,
    );
  });
}

function isBinding(value: unknown): value is ToolBinding {
  if (typeof value !== 'object' || value === null) return false;
  const { tool, handler, input } = value as Partial<Record<keyof ToolBinding, unknown>>;
  return isObject(tool) && typeof handler === 'function' && isObject(input);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
