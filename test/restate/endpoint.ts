import { createServer, type ServerHttp2Session } from 'node:http2';
import * as restate from '@restatedev/restate-sdk';

/** Workers in this process. */
export interface TestEndpoint {
  /** Where they listen. */
  readonly url: string;
  /** Cuts all connections, and listens on. */
  cut(this: void): void;
  /** Cuts all connections and stops listening. */
  close(this: void): Promise<void>;
}

/** Serves workflows on loopback. */
export async function serveOnLoopback(
  services: restate.EndpointOptions['services'],
  port = 0,
  logger: restate.LoggerTransport = () => undefined,
): Promise<TestEndpoint> {
  const server = createServer(restate.createEndpointHandler({ services, logger }));
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const cut = (): void => {
    for (const session of sessions) session.destroy();
  };
  return {
    url: `http://127.0.0.1:${bound}`,
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
