import { connect, createServer, type Socket } from 'node:net';

/** One address for many workers. */
export interface Balancer {
  /** Where it listens. */
  readonly url: string;
  /** Sends new connections to a port too. */
  add(port: number): void;
  /** Sends no more connections to a port. */
  remove(port: number): void;
  /** Cuts all connections. */
  close(this: void): Promise<void>;
}

/** Starts a balancer on loopback, which gives each new connection to the next worker. */
export async function startBalancer(): Promise<Balancer> {
  const ports: number[] = [];
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer((incoming) => {
    next += 1;
    const port = ports[next % ports.length];
    if (port === undefined) return void incoming.destroy();
    const outgoing = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    add: (worker) => void ports.push(worker),
    remove(worker) {
      const index = ports.indexOf(worker);
      if (index !== -1) ports.splice(index, 1);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
