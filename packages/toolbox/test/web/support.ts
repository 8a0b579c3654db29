import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolContext, ToolWithHandler, ToolResult } from '@kernel/protocol';
import { onTestFinished } from 'vitest';

/** A server on loopback that is closed after the test. Returns its origin. */
export async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs the handler of a tool. */
export function call(
  tool: ToolWithHandler,
  input: object,
  signal: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  const context = { signal, callId: '1', toolName: tool.tool.name } satisfies ToolContext;
  return Promise.resolve(tool.handler(input as never, context)) as Promise<ToolResult>;
}
