import type { Socket } from 'node:net';
import type { Client, Dispatcher, buildConnector } from 'undici';
import { type ConnectionPool, createPool } from '../pool.ts';
import type { TransportOptions } from '../transport.ts';
import type { ConnectAttempt } from './proxy.ts';
import { chooseRoute, type Route } from './route.ts';

export interface Connection {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Whether everything that was written has left this process. */
  isFlushed(): boolean;
  release(): void;
  /** The request's handler gets the error. */
  abortConnect(): void;
}

/** Imports undici's client by path, which costs a quarter of its root. Does not connect yet. */
export async function openPool(options: TransportOptions): Promise<ConnectionPool<Connection>> {
  const [{ default: ClientClass }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ]);
  const route = chooseRoute(connector, options);
  return createPool(options.connections, (release) => createConnection(ClientClass, route, release));
}

function createConnection(
  ClientClass: typeof Client,
  route: Route,
  release: (connection: Connection) => void,
): Connection {
  let socket: Socket | undefined;
  let attempt: ConnectAttempt | undefined;
  const connect: buildConnector.connector = (target, callback) => {
    attempt = route.connect(target, (...outcome) => {
      attempt = undefined;
      socket = outcome[1] ?? undefined;
      callback(...outcome);
    });
    return attempt;
  };
  // The pool hands out one request at a time, so nothing is ever pipelined; with `pipelining: 1` undici would hold the connection back for
  // one turn of the event loop after each response. It still checks for a closed socket before it reuses one.
  const client = new ClientClass(route.clientOrigin, { connect, pipelining: 2, headersTimeout: 0, bodyTimeout: 0 });
  const connection: Connection = {
    dispatch: (request, handler) => void client.dispatch(route.toRequest(request), handler),
    isFlushed: () => socket?.writableLength === 0,
    release: () => release(connection),
    abortConnect() {
      attempt?.destroy(new Error('The request was cancelled while connecting.'));
    },
  };
  return connection;
}
