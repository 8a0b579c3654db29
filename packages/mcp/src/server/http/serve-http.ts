import type { Toolset } from '@kernel/protocol';
import type { ServeHttpOptions } from './http-options.ts';
import type { HttpServer } from './start-http.ts';

/**
 * Serves a toolset over streamable HTTP: the protocol versions before 2026-07-28 with sessions, each with its own server, and version 2026-07-28,
 * which is stateless. The SDK is loaded by this call.
 *
 * Host and Origin are checked. The calls of a client that disconnects are aborted. Rejects with `CONFIG_INVALID` for invalid options, for a
 * host that other machines can reach without a token, and for a port that is in use.
 *
 * @example
 * ```ts
 * import { serveHttp } from '@kernel/mcp';
 * import { createRegistry } from '@kernel/tools';
 *
 * const server = await serveHttp(createRegistry(), { token: 'only for this client', port: 8080 });
 * console.log(server.url);
 * await server.close();
 * ```
 */
export async function serveHttp(toolset: Toolset, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { startHttp } = await import('./start-http.ts');
  return startHttp(toolset, options);
}
