import type { Socket } from 'node:net';
import type { Client, Dispatcher, buildConnector } from 'undici';

/** One connection, lent to one request at a time. */
export interface Connection {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Whether all that was written to it has left this process. */
  hasSentAll(): boolean;
  /** Gives it back: the request is over. The next one that waits gets it. */
  release(): void;
  /** Nobody waits for it to connect any more. Its request is told so by its handler. */
  dropConnecting(): void;
}

type Borrower = (connection: Connection) => void;

/** Connections to one origin. */
export interface ConnectionPool {
  /** Lends a connection to `use` now, or when one is free, in order. Returns a function that gives the wait up; harmless afterwards. */
  borrow(use: Borrower): () => void;
}

/** How a pool connects. */
export interface PoolOptions {
  /** 0 means no limit of time. */
  readonly connectMs: number;
  /** The most connections open at once. */
  readonly connections: number;
}

/** Loads undici (its client alone, by path: a quarter of the root's cost) and opens a pool. No connection is made yet. */
export async function openPool(origin: string, options: PoolOptions): Promise<ConnectionPool> {
  const [{ default: ClientClass }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/client.js'),
    import('undici/lib/core/connect.js'),
  ]);
  return createPool(options.connections, (release) => connectionTo(ClientClass, connector, origin, options, release));
}

const NOT_WAITING = (): void => undefined;

/** The connection that was used last is lent first: the others may time out. */
function createPool(most: number, open: (release: (connection: Connection) => void) => Connection): ConnectionPool {
  const idle: Connection[] = [];
  // In order. A set, so that a request that was given up, and its body, are forgotten at once.
  const waiting = new Set<Borrower>();
  let opened = 0;

  function take(): Connection | undefined {
    const known = idle.pop();
    if (known !== undefined || opened === most) return known;
    opened += 1;
    return open(release);
  }

  function release(connection: Connection): void {
    if (waiting.size === 0) idle.push(connection);
    // Not at once: undici is still ending the request before, and takes one that comes meanwhile for a pipelined one.
    else queueMicrotask(() => lend(connection));
  }

  function lend(connection: Connection): void {
    const [use] = waiting;
    if (use === undefined) {
      idle.push(connection);
    } else {
      waiting.delete(use);
      use(connection);
    }
  }

  return {
    borrow(use) {
      const connection = take();
      if (connection === undefined) {
        waiting.add(use);
        return () => void waiting.delete(use);
      }
      use(connection);
      return NOT_WAITING;
    },
  };
}

function connectionTo(
  ClientClass: typeof Client,
  connector: typeof buildConnector,
  origin: string,
  { connectMs }: PoolOptions,
  release: (connection: Connection) => void,
): Connection {
  let socket: Socket | undefined;
  let isConnecting = false;
  const build = connector({ timeout: connectMs, allowH2: false });
  const connect: buildConnector.connector = (target, callback) => {
    // undici's connector returns its socket, although its type does not say so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const opened = build(target, (...outcome) => {
      isConnecting = false;
      callback(...outcome);
    }) as unknown as Socket;
    isConnecting = true;
    socket = opened;
    return opened;
  };
  // One request at a time is lent out, so nothing is ever pipelined; with a limit of 1 undici would hold the connection back for a
  // turn of the event loop after each response. It still looks for a closed socket before it sends on a used one.
  const client = new ClientClass(origin, { connect, pipelining: 2, headersTimeout: 0, bodyTimeout: 0 });
  const connection: Connection = {
    dispatch: (request, handler) => void client.dispatch(request, handler),
    hasSentAll: () => socket?.writableLength === 0,
    release: () => release(connection),
    dropConnecting() {
      if (isConnecting) socket?.destroy(new Error('The request was given up while connecting.'));
    },
  };
  return connection;
}
