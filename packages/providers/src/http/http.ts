import { createExchange, type Exchange, type ExchangeSettings, type HttpSink } from './request.ts';
import { type ConnectionPool, openPool } from './pool.ts';

/** One POST. `path` begins with a slash and may have a query. */
interface HttpCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** The HTTP side of one provider: one origin, one pool. */
export interface Http {
  /** Sends a call. `waitedMs` of its total time are over already. */
  open(call: HttpCall, sink: HttpSink, waitedMs?: number): Exchange;
}

/** What an `Http` needs to know. */
export interface HttpSettings extends ExchangeSettings {
  readonly origin: string;
  readonly connections: number;
}

/** Creates the HTTP side; undici is loaded at the first request. A redirect is never followed: it is a response like others. */
export function createHttp(settings: HttpSettings): Http {
  const { connections, origin, timeouts } = settings;
  let opening: Promise<ConnectionPool> | undefined;
  let pool: ConnectionPool | undefined;

  return {
    open({ body, headers, path }, sink, waitedMs = 0) {
      const exchange = createExchange(settings, sink, waitedMs);
      const send = (opened: ConnectionPool): void => exchange.send(opened, { method: 'POST', path, headers, body });
      if (pool === undefined) {
        opening ??= openPool(origin, { connectMs: timeouts.connectMs, connections });
        opening.then((opened) => send((pool = opened)), exchange.fail);
      } else {
        send(pool);
      }
      return exchange;
    },
  };
}
