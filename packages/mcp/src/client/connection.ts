import { setTimeout as delay } from 'node:timers/promises';
import type { Tool as Listing } from '@modelcontextprotocol/client';
import type { McpServer } from './config.ts';
import { causeOf } from './faults.ts';
import { openSession, type Session, type SessionOptions, unavailable } from './session.ts';

/** One server over the life of its connections. */
export interface Connection {
  readonly server: McpServer;
  /** Connects for the first time: one try. Rejects as `openSession` does. */
  open(signal: AbortSignal): Promise<readonly Listing[]>;
  /**
   * A connection that holds: the present one, or a new one with its tools listed again. A few tries within the connect clock, with a pause
   * between that doubles. Rejects with `TOOL_UNAVAILABLE`.
   */
  ready(): Promise<Session>;
  /** Gives up a connection that a request has found dead, so that the next one is new. */
  drop(session: Session): void;
  /** Resolves when no listing is under way. Never rejects. */
  settled(): Promise<void>;
  /** Ends everything. Never rejects. */
  close(): Promise<void>;
}

const TRIES = 4;
const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 5000;
/** After so many listings in quick succession the next one waits: some servers tell of a change after each listing. */
const LISTINGS_IN_A_ROW = 20;
const LISTING_PAUSE_MS = 1000;

/** Creates the connection to a server. `onListed` gets each listing after the first. */
export function createConnection(
  server: McpServer,
  options: SessionOptions,
  onListed: (listings: readonly Listing[]) => void,
): Connection {
  const stop = new AbortController();
  const sessions = new Set<Session>();
  let current: Session | undefined;
  let opening: Promise<Session> | undefined;
  let listing: Promise<void> | undefined;
  let isStale = false;
  let inRow = 0;
  let listedMs = -Infinity;
  /** Set while the next listing waits. */
  let pause: NodeJS.Timeout | undefined;

  const connect = async (signal: AbortSignal): Promise<{ session: Session; listings: readonly Listing[] }> => {
    let session: Session | undefined;
    const hooks = {
      onListChanged: () => {
        if (session !== undefined && session === current) refresh(session);
        else isStale = true;
      },
      onClosed: () => {
        if (session !== undefined) drop(session);
      },
    };
    isStale = false;
    session = await openSession(server, options, signal, hooks);
    try {
      const listings = await session.list(signal);
      if (session.link.broken() !== undefined) throw new Error('it broke while it was listed');
      sessions.add(session);
      current = session;
      if (isStale) refresh(session);
      return { session, listings };
    } catch (error) {
      const cause = causeOf(error, session.link);
      await session.link.close();
      signal.throwIfAborted();
      throw unavailable(server, options, cause, session.link, error);
    }
  };
  /** Lists again. A notification that comes meanwhile makes it list once more, however many come. */
  const refresh = (session: Session): void => {
    isStale = true;
    if (pause !== undefined) return;
    // What was listed last stays where this fails; the next notification or connection lists anew.
    listing ??= listAgain(session)
      .catch(() => {})
      .finally(() => {
        listing = undefined;
      });
  };
  const listAgain = async (session: Session): Promise<void> => {
    const isDue = (): boolean => isStale && session === current;
    while (isDue()) {
      if (performance.now() - listedMs > LISTING_PAUSE_MS) inRow = 0;
      if (inRow === LISTINGS_IN_A_ROW) {
        pause = setTimeout(afterPause, LISTING_PAUSE_MS).unref();
        return;
      }
      inRow += 1;
      isStale = false;
      onListed(await session.list(stop.signal)); // one after the other: the last listing is the newest
      listedMs = performance.now();
    }
  };
  const afterPause = (): void => {
    pause = undefined;
    inRow = 0;
    if (current !== undefined) refresh(current);
  };
  const drop = (session: Session): void => {
    if (current === session) current = undefined;
    if (sessions.delete(session)) void session.link.close();
  };
  const reopen = async (): Promise<Session> => {
    const untilMs = performance.now() + options.connectTimeoutMs;
    for (let tried = 1; ; tried += 1) {
      try {
        const { session, listings } = await connect(stop.signal);
        onListed(listings);
        return session;
      } catch (error) {
        const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tried - 1)) * (0.5 + Math.random() / 2);
        if (stop.signal.aborted || tried === TRIES || performance.now() + pauseMs > untilMs) throw error;
        await delay(pauseMs, undefined, { signal: stop.signal });
      }
    }
  };

  return {
    server,
    async open(signal) {
      return (await connect(AbortSignal.any([signal, stop.signal]))).listings;
    },
    async ready() {
      if (current !== undefined && current.link.broken() === undefined) return current;
      opening ??= reopen().finally(() => {
        opening = undefined;
      });
      return opening;
    },
    drop,
    settled: () => listing ?? Promise.resolve(),
    async close() {
      stop.abort(new Error('closed'));
      clearTimeout(pause);
      await opening?.catch(() => {});
      await Promise.all([...sessions].map(({ link }) => link.close()));
      sessions.clear();
      current = undefined;
    },
  };
}
