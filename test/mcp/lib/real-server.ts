import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectMcp, type ConnectMcpOptions, type McpServerConfig, type McpToolset } from '@kernel/mcp';
import { callTool, type ToolResult } from '@kernel/protocol';
import { onTestFinished } from 'vitest';

/** The program of a server from npm. */
export const program = (name: string): string =>
  fileURLToPath(new URL(`../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url));

/** How such a server is started. MCP servers inherit little of the environment. */
export const started = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [program(name), ...args],
  env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
});

/** A folder for the time of one test. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'kernel-mcp-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Connects for the time of one test. */
export async function connected(
  mcpServers: { readonly [name: string]: McpServerConfig },
  options?: ConnectMcpOptions,
): Promise<McpToolset> {
  const toolset = await connectMcp({ mcpServers }, options);
  onTestFinished(() => toolset.close());
  return toolset;
}

/** Calls a tool. */
export function call(
  toolset: McpToolset,
  name: string,
  input: object,
  onProgress?: (update: string) => void,
): Promise<ToolResult> {
  const { signal } = new AbortController();
  return callTool(
    toolset,
    { type: 'tool-call', id: name, name, arguments: JSON.stringify(input) },
    { signal, onProgress },
  );
}
