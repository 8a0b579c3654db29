import { fileURLToPath } from 'node:url';
import { type CallContext, type RunningCall, callTool, type ToolCall, type ToolResult } from '@kernel/protocol';
import { onTestFinished } from 'vitest';
import { connectMcp, type ConnectMcpOptions, type McpStdioServer, type McpToolset } from '../../src/index.ts';

const SERVER = fileURLToPath(new URL('../fixtures/server.ts', import.meta.url));
const MISBEHAVING = fileURLToPath(new URL('../fixtures/misbehaving.ts', import.meta.url));

/** MCP servers inherit little of the environment. */
const env = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

/** The server that behaves; with names, only these of its tools. */
export function server(...tools: string[]): McpStdioServer {
  return { command: process.execPath, args: [SERVER, ...tools], env };
}

/** A server that does it wrong. */
export function misbehaving(...args: string[]): McpStdioServer {
  return { command: process.execPath, args: [MISBEHAVING, ...args], env };
}

/** Connects for the time of one test. */
export async function connected(
  mcpServers: { readonly [name: string]: McpStdioServer | { readonly url: string } },
  options?: ConnectMcpOptions,
): Promise<McpToolset> {
  const toolset = await connectMcp({ mcpServers }, { graceMs: 300, ...options });
  onTestFinished(() => toolset.close());
  return toolset;
}

let calls = 0;

/** Calls a tool. */
export function call(
  toolset: McpToolset,
  name: string,
  input: object | string = {},
  context: Partial<CallContext & RunningCall> = {},
): Promise<ToolResult> {
  calls += 1;
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const request: ToolCall = { type: 'tool-call', id: `call_${calls}`, name, arguments: text };
  return callTool(toolset, request, { signal: new AbortController().signal, ...context });
}

/** Resolves when something is so, looked at each few milliseconds; a test's own limit ends it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
