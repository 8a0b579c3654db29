import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { usageError } from '../usage-error.ts';
import { createRoutes, type RouteOptions } from './routes.ts';

/** A server that runs. */
export interface AgentServer {
  /** The address of the page, with the token in its fragment, which browsers do not send. */
  readonly url: string;
  /** Stops it, and the runs of its clients. */
  close(): Promise<void>;
}

/** Serves the page and its routes on a port of 127.0.0.1; 0 takes a free one. Rejects with a usage error for a port that is taken. */
export async function startServer(
  agent: Pick<RouteOptions, 'options' | 'secret' | 'describe'>,
  port: number,
): Promise<AgentServer> {
  const token = randomBytes(24).toString('base64url');
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`--port ${port} cannot be used (${error.code ?? error.message}).`)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const actual = typeof address === 'object' && address !== null ? address.port : port;
  const routes = createRoutes({ ...agent, token, hosts: [`127.0.0.1:${actual}`, `localhost:${actual}`] });
  const listener = getRequestListener(routes);
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing));
  return {
    url: `http://127.0.0.1:${actual}/#${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
