import { errorMessage, untilAborted } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { Client } from '@modelcontextprotocol/client';
import type { RemoteServer } from './connection/remote-server.ts';

export interface AskedServer {
  readonly server: RemoteServer;
  readonly redact: (text: string) => string;
}

export type AskServer = ReturnType<typeof createAskServer>;

const NEVER = new AbortController().signal;

/** Creates what sends servers requests other than calls. Each rejects with an error that names the server. */
export function createAskServer<Asked extends AskedServer>(servers: readonly Asked[], timeoutMs: number) {
  const find = (name: string): Asked => {
    const found = servers.find(({ server }) => server.config.name === name);
    if (found !== undefined) return found;
    const hint = `Connected: ${servers.map(({ server }) => server.config.name).join(', ') || 'none'}.`;
    throw new KernelError('TOOL_NOT_FOUND', `no MCP server is named "${name}".`, { hint });
  };
  const ask = async <T>(
    { server, redact }: AskedServer,
    signal: AbortSignal = NEVER,
    request: (client: Client, options: { readonly signal: AbortSignal; readonly timeout: number }) => Promise<T>,
  ): Promise<T> => {
    const data = { server: server.config.name };
    const { client } = await untilAborted(server.connection(), signal);
    try {
      return await request(client, { signal, timeout: timeoutMs });
    } catch (error) {
      signal.throwIfAborted();
      if (KernelError.is(error)) throw error;
      const text = `MCP server "${server.config.name}" failed: ${errorMessage(error)}`;
      throw new KernelError('TOOL_FAILED', redact(text), { data });
    }
  };
  return { servers, find, ask };
}
