import type { Socket } from 'node:net';
import type { Client, Dispatcher, buildConnector } from 'undici';
import { type ConnectionPool, createPool } from '../pool.ts';

/** A connection, held by one request at a time. */
export interface Connection {
  /** Sends a request; undici calls `handler` with the response. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Whether everything that was written has left this process. */
  isFlushed(): boolean;
  /** Returns the connection to the pool after the request; the next waiting request gets it. */
  release(): void;
  /** Gives up a connection attempt that no request needs any more. The request's handler gets the error. */
  abortConnect(): void;
}

/** How a pool connects. */
export interface PoolOptions {
  /** The connect timeout; 0 means none. */
  readonly connectMs: number;
  /** The maximum number of open connections. */
  readonly connections: number;
}

/** Loads undici (only its client, by path: a quarter of the cost of its root) and creates a pool. Does not connect yet. */
export async function openPool(origin: string, options: PoolOptions): Promise<ConnectionPool<Connection>> {
  const [{ default: ClientClass }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ]);
  return createPool(options.connections, (release) =>
    createConnection(ClientClass, connector, origin, options, release),
  );
}

function createConnection(
  ClientClass: typeof Client,
  connector: typeof buildConnector,
  origin: string,
  { connectMs }: PoolOptions,
  release: (connection: Connection) => void,
): Connection {
  let socket: Socket | undefined;
  let isConnecting = false;
  const openSocket = connector({ timeout: connectMs, allowH2: false });
  const connect: buildConnector.connector = (target, callback) => {
    // undici's connector returns its socket, although its type does not say so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const opened = openSocket(target, (...outcome) => {
      isConnecting = false;
      callback(...outcome);
    }) as unknown as Socket;
    isConnecting = true;
    socket = opened;
    return opened;
  };
  // The pool hands out one request at a time, so nothing is ever pipelined; with `pipelining: 1` undici would hold the connection back for
  // one turn of the event loop after each response. It still checks for a closed socket before it reuses one.
  const client = new ClientClass(origin, { connect, pipelining: 2, headersTimeout: 0, bodyTimeout: 0 });
  const connection: Connection = {
    dispatch: (request, handler) => void client.dispatch(request, handler),
    isFlushed: () => socket?.writableLength === 0,
    release: () => release(connection),
    abortConnect() {
      if (isConnecting) socket?.destroy(new Error('The request was cancelled while connecting.'));
    },
  };
  return connection;
}
