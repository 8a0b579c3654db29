import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { McpAppPage } from '@kernel/mcp';

/** A second server of this machine, so that the pages of apps have another origin than the page around them. */
export interface AppListener {
  readonly origin: string;
  /** Keeps a page until it is fetched, once. Returns its address. */
  add(page: McpAppPage): string;
  close(): void;
}

const MAX_PAGES = 20;

/** Pages of apps get nothing of the browser that they could ask for. */
const PERMISSIONS = [
  'camera',
  'microphone',
  'geolocation',
  'clipboard-read',
  'clipboard-write',
  'display-capture',
  'usb',
];

/**
 * Listens on a free port of this machine. Its name is `localhost`: to a browser that is another site than 127.0.0.1, so that an app that never ends holds
 * up its own process alone. Only the pages at `parents` can show what it serves.
 */
export async function startAppListener(parents: readonly string[]): Promise<AppListener> {
  const pages = new Map<string, McpAppPage>();
  let origin = '';
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    const isAsked = request.method === 'GET' && `http://${request.headers.host}` === origin;
    const page = isAsked ? pages.get(path) : undefined;
    if (page === undefined) return void response.writeHead(404).end();
    pages.delete(path);
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `${page.policy}; frame-ancestors ${parents.join(' ')}`,
      'permissions-policy': PERMISSIONS.map((name) => `${name}=()`).join(', '),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
    });
    response.end(page.html);
  };
  const { port, servers } = await listenAsLocalhost(answer);
  origin = `http://localhost:${port}`;
  return {
    origin,
    add(page) {
      const path = `/${randomBytes(24).toString('base64url')}`;
      pages.set(path, page);
      const [oldest] = pages.keys();
      if (pages.size > MAX_PAGES && oldest !== undefined) pages.delete(oldest);
      return `${origin}${path}`;
    },
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

const MAX_ATTEMPTS = 10;

/** Takes one port at both addresses that `localhost` may have, so that no other program answers at one of them. A machine may have no IPv6. */
async function listenAsLocalhost(
  answer: RequestListener,
): Promise<{ readonly port: number; readonly servers: readonly Server[] }> {
  for (let attempt = 1; ; attempt += 1) {
    const [four, six] = [createServer(answer), createServer(answer)];
    await listen(four, 0, '127.0.0.1');
    const address = four.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await listen(six, port, '::1');
      return { port, servers: [four, six] };
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken) return { port, servers: [four] };
      four.close();
      if (attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
}
