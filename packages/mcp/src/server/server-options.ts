import { KernelError, type Toolset } from '@kernel/protocol';
import type * as Sdk from '@modelcontextprotocol/server';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import { answerTools } from './mount-tools.ts';
import { createTurns } from './turns.ts';

/** What a server tells of itself, or how it is made. */
export interface ServerOptions {
  /** Default `kernel`. */
  readonly name?: string | undefined;
  /** Default `0.0.0`. */
  readonly version?: string | undefined;
  /** For the client's model: how to use these tools. */
  readonly instructions?: string | undefined;
  /**
   * Makes the server of one connection, instead of a plain one, so that it has resources and prompts too. Called anew for each, in the
   * 2026-07-28 protocol over HTTP for each request, and twice at the start, to find mistakes early. The tools are mounted on what it returns.
   */
  readonly createServer?: (() => McpServer | Server) | undefined;
  /** Hears what went wrong on the wire: garbage, refused requests, an answer that nobody took. Never a tool's failure. */
  readonly onError?: ((error: Error) => void) | undefined;
  /** Closes the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** The module `@modelcontextprotocol/server`, loaded when a server starts. */
export type ServerSdk = typeof Sdk;

/** Returns what makes the server of a connection. Throws `CONFIG_INVALID` for a `createServer` on whose servers the tools cannot be mounted. */
export function serverFactory(sdk: ServerSdk, toolset: Toolset, options: ServerOptions): () => McpServer | Server {
  const { name = 'kernel', version = '0.0.0', instructions, createServer } = options;
  if (createServer !== undefined) {
    const first = createServer();
    if (createServer() === first)
      throw new KernelError('CONFIG_INVALID', 'createServer returned the same server twice.', {
        hint: 'Make a new one in each call: a server has one connection.',
      });
    answerTools(first, toolset, createTurns(toolset));
    return createServer;
  }
  return () => new sdk.McpServer({ name, version }, instructions === undefined ? {} : { instructions });
}

/** Adds a step to what happens when a server's connection has ended. */
export function onServerClose(server: Server, then: () => void): void {
  const before = server.onclose;
  const onclose = (): void => {
    try {
      before?.();
    } finally {
      then();
    }
  };
  Object.assign(server, { onclose });
}

/** Closes when the signal aborts; returns the undo. */
export function closeOnAbort(signal: AbortSignal | undefined, close: () => Promise<void>): () => void {
  if (signal === undefined) return () => {};
  const onAbort = (): void => void close().catch(() => {}); // told where it is awaited
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
