import type { Socket } from 'node:net';
import type { Dispatcher, Pool, buildConnector } from 'undici';

/** Connections to one origin. */
export interface ConnectionPool {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /** Destroys sockets that are still connecting: nobody waits for them any more. */
  dropConnecting(): void;
}

/** How a pool connects. */
export interface PoolOptions {
  /** 0 means no limit of time. */
  readonly connectMs: number;
  /** The most connections open at once. */
  readonly connections: number;
}

/** Loads undici (the pool alone, by path: a quarter of the root's cost) and opens a pool. No connection is made yet. */
export async function openPool(origin: string, options: PoolOptions): Promise<ConnectionPool> {
  const [{ default: PoolClass }, { default: connector }] = await Promise.all([
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/core/connect.js'),
  ]);
  return wrapPool(PoolClass, connector, origin, options);
}

function wrapPool(
  PoolClass: typeof Pool,
  connector: typeof buildConnector,
  origin: string,
  options: PoolOptions,
): ConnectionPool {
  const connecting = new Set<Socket>();
  const build = connector({ timeout: options.connectMs, allowH2: false });
  const connect: buildConnector.connector = (target, callback) => {
    // undici's connector returns its socket, although its type does not say so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const socket = build(target, (...outcome) => {
      connecting.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    connecting.add(socket);
    return socket;
  };
  const pool = new PoolClass(origin, { connections: options.connections, connect, headersTimeout: 0, bodyTimeout: 0 });
  return {
    dispatch(request, handler) {
      pool.dispatch(request, handler);
    },
    dropConnecting() {
      for (const socket of connecting) socket.destroy(new Error('The request was given up while connecting.'));
      connecting.clear();
    },
  };
}
