import { KernelError } from '@kernel/protocol';
import type { Dispatcher } from 'undici';
import { type ClockSettings, timeoutError } from './timeouts.ts';
import { createDeadlines } from './deadlines.ts';
import { contentCoding, createInflater, type Inflater } from './inflate.ts';
import { limitError } from './limits.ts';
import { networkError } from './network-error.ts';
import type { Connection, ConnectionPool } from './pool.ts';
import type { Redactor } from './redact.ts';

/** Response headers by lower-case name. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Hears one response, synchronously. What it throws ends the exchange and comes back by `onFault`. */
export interface HttpSink {
  onHead(status: number, headers: HttpHeaders): void;
  onBytes(bytes: Uint8Array): void;
  /** The response is whole. `sent` says whether the request had left this process as well: a server may answer before it has read all. */
  onEnd(sent: boolean): void;
  /** Once, and nothing after it. Not called after `close`. */
  onFault(error: unknown): void;
}

/** A request under way. */
export interface Exchange {
  /** Stops reading from the socket, and the idle clock. */
  pause(): void;
  resume(): void;
  /** Puts the idle clock off. */
  progress(): void;
  /** Gives the request up and closes its socket; nothing is told to the sink any more. Harmless after the end. */
  close(): void;
}

/** What every exchange of a provider shares. */
export interface ExchangeSettings {
  readonly provider: string;
  readonly timeouts: ClockSettings;
  readonly redactor: Redactor;
  /** The most bytes of one response, after decompression. */
  readonly responseBytes: number;
}

/** An exchange that was not sent yet. */
export interface OpenExchange extends Exchange {
  /** Sends the request as soon as the pool lends a connection; nothing after `close`. */
  readonly send: (pool: ConnectionPool, request: Dispatcher.DispatchOptions) => void;
  readonly fail: (error: unknown) => void;
}

/** Creates one exchange: its clocks, its limits, its content encoding. `waitedMs` of its total time are over. */
export function createExchange(settings: ExchangeSettings, sink: HttpSink, waitedMs: number): OpenExchange {
  const { provider, redactor, responseBytes, timeouts } = settings;
  let controller: Dispatcher.DispatchController | undefined;
  let inflater: Inflater | undefined;
  let leaveQueue: (() => void) | undefined;
  let lent: Connection | undefined;
  let closed = false;
  let started = false;
  let sent = false;
  let readerPaused = false;
  let received = 0;

  const deadlines = createDeadlines(timeouts, waitedMs, (clock) =>
    fail(timeoutError(provider, clock, timeouts[clock])),
  );

  function settle(): void {
    closed = true;
    deadlines.stop();
  }

  function close(): void {
    if (closed) return;
    settle();
    leaveQueue?.();
    inflater?.destroy();
    if (controller === undefined) lent?.dropConnecting();
    else controller.abort(new Error('The request was closed.'));
  }

  function giveBack(): void {
    const connection = lent;
    lent = undefined;
    connection?.release();
  }

  function fail(error: unknown): void {
    if (closed) return;
    close();
    sink.onFault(KernelError.is(error) ? error : networkError(provider, error, timeouts.connectMs, redactor));
  }

  function guarded(work: () => void): void {
    if (closed) return;
    try {
      work();
    } catch (error) {
      if (closed) return;
      close();
      sink.onFault(error);
    }
  }

  function take(bytes: Uint8Array): void {
    received += bytes.length;
    if (received > responseBytes) {
      const hint = 'Raise limits.responseBytes of createProvider if the reply may be as large.';
      throw limitError(
        'responseBytes',
        `${provider}: the reply is larger than ${responseBytes} bytes`,
        responseBytes,
        hint,
      );
    }
    sink.onBytes(bytes);
  }

  function finish(): void {
    if (closed) return;
    settle();
    try {
      sink.onEnd(sent);
    } catch (error) {
      sink.onFault(error);
    }
  }

  function inflate(encoding: string): Inflater {
    return createInflater(encoding, {
      onBytes: (bytes) => guarded(() => take(bytes)),
      onDrain: () => {
        if (!readerPaused) controller?.resume();
      },
      onEnd: finish,
      onError: (error) =>
        fail(new KernelError('PROVIDER_PROTOCOL', `${provider}: the ${encoding} reply is damaged: ${error.message}.`)),
    });
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(given) {
      controller = given;
      if (closed) given.abort(new Error('The request was closed.'));
      else deadlines.wait('firstByteMs');
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return;
      guarded(() => {
        const encoding = String(headers['content-encoding'] ?? '');
        const coding = contentCoding(encoding);
        if (coding === 'unknown') {
          throw new KernelError('PROVIDER_PROTOCOL', `${provider}: unknown content-encoding "${encoding}".`);
        }
        if (coding === 'known') inflater = inflate(encoding);
        sink.onHead(status, headers);
      });
    },
    onResponseData(_, bytes) {
      if (closed) return;
      if (!started) {
        started = true;
        if (!readerPaused) deadlines.wait('idleMs');
      }
      if (inflater === undefined) guarded(() => take(bytes));
      else if (!inflater.write(bytes)) controller?.pause();
    },
    onResponseEnd() {
      sent = lent?.hasSentAll() ?? false;
      giveBack();
      if (closed) return;
      if (inflater === undefined) finish();
      else inflater.end();
    },
    onResponseError(_, error) {
      giveBack();
      fail(error);
    },
  };

  return {
    close,
    fail,
    progress: () => deadlines.putOff(),
    pause() {
      if (closed || readerPaused) return;
      readerPaused = true;
      deadlines.rest();
      inflater?.pause();
      controller?.pause();
    },
    resume() {
      if (closed || !readerPaused) return;
      readerPaused = false;
      deadlines.wait(started ? 'idleMs' : 'firstByteMs');
      inflater?.resume();
      controller?.resume();
    },
    send(pool, request) {
      if (closed) return;
      leaveQueue = pool.borrow((connection) => {
        leaveQueue = undefined;
        lent = connection;
        connection.dispatch(request, handler);
      });
    },
  };
}
