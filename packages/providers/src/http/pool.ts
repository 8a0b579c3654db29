type OnConnection<Connection> = (connection: Connection) => void;

export interface ConnectionPool<Connection> {
  /** Now or when one is free, in order. Returns a function that cancels the wait; calling it later does nothing. */
  acquire(onConnection: OnConnection<Connection>): () => void;
}

const NOT_WAITING = (): void => undefined;

/** `connect` gets what returns its connection to the pool. The most recently used one goes first: the others may time out. */
export function createPool<Connection>(
  maxConnections: number,
  connect: (release: (connection: Connection) => void) => Connection,
): ConnectionPool<Connection> {
  const idle: Connection[] = [];
  // Insertion order is the queue. A set, so that a cancelled request, and its body, can be collected at once.
  const waiting = new Set<OnConnection<Connection>>();
  let opened = 0;

  function takeIdle(): Connection | undefined {
    const known = idle.pop();
    if (known !== undefined || opened === maxConnections) return known;
    opened += 1;
    return connect(release);
  }

  function release(connection: Connection): void {
    if (waiting.size === 0) idle.push(connection);
    // Deferred: undici is still ending the previous request, and would take one that arrives now for a pipelined one.
    else queueMicrotask(() => passOn(connection));
  }

  function passOn(connection: Connection): void {
    const [next] = waiting;
    if (next === undefined) {
      idle.push(connection);
    } else {
      waiting.delete(next);
      next(connection);
    }
  }

  return {
    acquire(onConnection) {
      const connection = takeIdle();
      if (connection === undefined) {
        waiting.add(onConnection);
        return () => void waiting.delete(onConnection);
      }
      onConnection(connection);
      return NOT_WAITING;
    },
  };
}
