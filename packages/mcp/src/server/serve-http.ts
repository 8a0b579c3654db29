import type { Toolset } from '@kernel/protocol';
import type { ServeHttpOptions } from './http-options.ts';
import type { HttpServer } from './start-http.ts';

/**
 * Serves a toolset over streamable HTTP: the protocols before 2026-07-28 with sessions, each with its own server, and the 2026-07-28
 * protocol, whose requests stand alone. The SDK is loaded on the way.
 *
 * Host and Origin are checked. A client that leaves aborts its calls. Rejects with `CONFIG_INVALID` for options that cannot be served,
 * a host that other machines reach without a token, or a port that is taken.
 */
export async function serveHttp(toolset: Toolset, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { startHttp } = await import('./start-http.ts');
  return startHttp(toolset, options);
}
