import { createExchange, type Exchange, type ExchangeSettings, type HttpSink } from './exchange.ts';
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
  let opening: Promise<void> | undefined;
  let pool: ConnectionPool | undefined;
  let waiting = 0;

  let cooling = 0;
  const held: (() => void)[] = [];

  /** undici frees a connection one turn of the event loop after its response: a request sent before that would open another. */
  function cool(): void {
    cooling += 1;
    queueMicrotask(() =>
      setImmediate(() => {
        cooling -= 1;
        if (cooling === 0) for (const send of held.splice(0)) send();
      }),
    );
  }

  const load = async (): Promise<void> => {
    pool = await openPool(origin, { connectMs: timeouts.connectMs, connections });
  };

  return {
    open(call, sink, waitedMs = 0) {
      waiting += 1;
      const queue = {
        leave(gaveUp: boolean) {
          waiting -= 1;
          if (gaveUp && waiting === 0) pool?.dropConnecting();
        },
        ended: cool,
      };
      const exchange = createExchange(settings, sink, queue, waitedMs);
      const send = (): void => {
        try {
          if (!exchange.closed()) pool?.dispatch({ ...call, method: 'POST', origin }, exchange.handler);
        } catch (error) {
          exchange.handler.fail(error);
        }
      };
      if (pool === undefined) {
        opening ??= load();
        opening.then(send, exchange.handler.fail);
      } else if (cooling > 0) {
        held.push(send);
      } else {
        send();
      }
      return exchange;
    },
  };
}
