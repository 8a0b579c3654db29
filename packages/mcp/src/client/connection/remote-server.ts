import { delay } from '@kernel/internal';
import type { McpServer } from '../config.ts';
import type { ListedTools } from './list-tools.ts';
import { type Connection, type ConnectionOptions, openConnection, unavailableError } from './open-connection.ts';
import { causeOf } from './request-failure.ts';

/** A server, which is connected to again whenever its connection is lost. */
export type RemoteServer = ReturnType<typeof createRemoteServer>;

const MAX_ATTEMPTS = 4;
const FIRST_DELAY_MS = 150;
const MAX_DELAY_MS = 5000;

/** Creates a server that is not yet connected. `onListed` gets each list of its tools after the first. */
export function createRemoteServer(
  config: McpServer,
  options: ConnectionOptions,
  onListed: (listed: ListedTools) => void,
) {
  const stop = new AbortController();
  let current: Connection | undefined;
  let reconnecting: Promise<Connection> | undefined;
  /** What the last connection was: a server that speaks an old version is not asked again. */
  let era: Connection['era'] | undefined;
  /** When the list of tools is too old, in ms of `performance.now()`. */
  let staleMs = Infinity;
  const noteAge = (listed: ListedTools): ListedTools => {
    staleMs = performance.now() + (listed.ttlMs ?? Infinity);
    return listed;
  };
  const refresher = createListRefresher(
    () => current,
    stop.signal,
    (listed) => onListed(noteAge(listed)),
  );

  async function connect(signal: AbortSignal): Promise<{ connection: Connection; listed: ListedTools }> {
    let connection: Connection | undefined;
    let hasChanged = false;
    const known = era === 'legacy' ? era : undefined;
    era = undefined;
    const events = {
      onListChanged() {
        if (connection !== undefined && connection === current) refresher.refresh();
        else hasChanged = true;
      },
      onClosed() {
        if (connection !== undefined) drop(connection);
      },
    };
    connection = await openConnection(config, options, signal, events, known);
    era = connection.era;
    try {
      const listed = noteAge(await connection.listTools(signal));
      if (connection.link.failure() !== undefined) throw new Error('the connection broke while the tools were listed');
      current = connection;
      if (hasChanged) refresher.refresh();
      return { connection, listed };
    } catch (error) {
      const cause = causeOf(error, connection.link);
      await connection.link.close();
      signal.throwIfAborted();
      throw unavailableError(config, options.redact, cause, connection.link, error);
    }
  }

  function drop(connection: Connection): void {
    if (current !== connection) return;
    current = undefined;
    void connection.link.close();
  }

  async function reconnect(): Promise<Connection> {
    const deadlineMs = performance.now() + options.connectTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { connection, listed } = await connect(stop.signal);
        onListed(listed);
        return connection;
      } catch (error) {
        const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
        const isLast = attempt === MAX_ATTEMPTS || performance.now() + delayMs > deadlineMs;
        if (stop.signal.aborted || isLast) throw error;
        await delay(delayMs, stop.signal);
      }
    }
  }

  return {
    config,
    /** Connects for the first time, with one attempt, and lists the tools. Rejects like `openConnection`. */
    async open(signal: AbortSignal): Promise<ListedTools> {
      return (await connect(AbortSignal.any([signal, stop.signal]))).listed;
    },
    /**
     * Resolves to a working connection: the current one, or a new one after its tools were listed. Makes several attempts within the connect
     * timeout, with a delay between them that doubles. Rejects with `TOOL_UNAVAILABLE`.
     */
    async connection(): Promise<Connection> {
      if (current !== undefined && current.link.failure() === undefined) return current;
      reconnecting ??= reconnect().finally(() => {
        reconnecting = undefined;
      });
      return reconnecting;
    },
    /** Closes a connection that a request has found dead, so that the next request gets a new one. */
    drop,
    /** Resolves once no list is under way. A list that is older than the server allows is loaded again. */
    settled(): Promise<void> {
      if (performance.now() > staleMs) refresher.refresh();
      return refresher.settled();
    },
    async close(): Promise<void> {
      stop.abort(new Error('closed'));
      refresher.stop();
      await reconnecting?.catch(() => {});
      await current?.link.close();
      current = undefined;
    },
  };
}

/** After so many quick lists the next waits, twice as long each time: some servers announce a change per list. */
const MAX_BURST = 20;
const PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

export function createListRefresher(
  current: () => Connection | undefined,
  signal: AbortSignal,
  onListed: (listed: ListedTools) => void,
) {
  let isStale = false;
  let refreshing: Promise<void> | undefined;
  let burst = 0;
  let pausedMs = 0;
  let listedMs = -Infinity;
  /** Set while the next list waits. */
  let pause: NodeJS.Timeout | undefined;

  async function listUntilFresh(): Promise<void> {
    for (let connection = current(); isStale && connection !== undefined; connection = current()) {
      if (performance.now() - listedMs > pausedMs + PAUSE_MS) {
        burst = 0;
        pausedMs = 0;
      }
      if (burst === MAX_BURST) {
        pausedMs = Math.min(2 * pausedMs || PAUSE_MS, MAX_PAUSE_MS);
        pause = setTimeout(resume, pausedMs).unref();
        return;
      }
      burst += 1;
      isStale = false;
      try {
        onListed(await connection.listTools(signal)); // one after the other: the last list is the newest
      } catch {
        // The tools stay as they are until the next change or connection.
      }
      listedMs = performance.now();
    }
  }
  function resume(): void {
    pause = undefined;
    burst = 0;
    refresh();
  }
  function refresh(): void {
    if (current() === undefined) return;
    isStale = true;
    if (pause !== undefined) return;
    refreshing ??= listUntilFresh().finally(() => {
      refreshing = undefined;
    });
  }

  return {
    /** Lists again. If a list is under way, lists once more after it, however often this is called meanwhile. */
    refresh,
    settled: (): Promise<void> => refreshing ?? Promise.resolve(),
    stop: (): void => clearTimeout(pause),
  };
}
