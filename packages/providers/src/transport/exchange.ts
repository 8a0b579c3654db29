import { KernelError } from '@kernel/protocol';
import type { Dispatcher } from 'undici';
import { type ClockSettings, createClock, type Timeouts, timeoutError } from './clocks.ts';
import { contentCoding, createInflater, type Inflater } from './inflate.ts';
import { networkError } from './network-error.ts';
import type { Redactor } from './redact.ts';

/** The most bytes of one response, after decompression. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** Response headers by lower-case name. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Hears one response, synchronously. What it throws ends the exchange and comes back by `onFault`. */
export interface HttpSink {
  onHead(status: number, headers: HttpHeaders): void;
  onBytes(bytes: Uint8Array): void;
  onEnd(): void;
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
}

/** What an exchange tells the requests behind it. */
export interface RequestQueue {
  /** The request has a connection, or was given up before it had one. */
  leave(gaveUp: boolean): void;
  /** The response is over, its connection about to be free. */
  readonly ended: () => void;
}

/** An exchange and the handler that undici drives it by. */
export interface OpenExchange extends Exchange {
  readonly closed: () => boolean;
  readonly handler: Dispatcher.DispatchHandler & { readonly fail: (error: unknown) => void };
}

/** Creates one exchange: its clocks, its limits, its content encoding. It is sent by dispatching with its `handler`. `waitedMs` of its total time are over. */
export function createExchange(
  settings: ExchangeSettings,
  sink: HttpSink,
  queue: RequestQueue,
  waitedMs: number,
): OpenExchange {
  const { provider, redactor, timeouts } = settings;
  let controller: Dispatcher.DispatchController | undefined;
  let inflater: Inflater | undefined;
  let closed = false;
  let queued = true;
  let started = false;
  let readerPaused = false;
  let received = 0;

  const expire = (clock: keyof Timeouts) => () => fail(timeoutError(provider, clock, timeouts[clock]));
  const firstByte = createClock(timeouts.firstByteMs, expire('firstByteMs'));
  const idle = createClock(timeouts.idleMs, expire('idleMs'));
  const total = createClock(timeouts.totalMs === 0 ? 0 : Math.max(1, timeouts.totalMs - waitedMs), expire('totalMs'));
  total.start();

  function settle(): void {
    closed = true;
    for (const clock of [firstByte, idle, total]) clock.stop();
    if (queued) {
      queued = false;
      queue.leave(true);
    }
  }

  function close(): void {
    if (closed) return;
    settle();
    inflater?.destroy();
    controller?.abort(new Error('The request was closed.'));
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
    if (received > MAX_RESPONSE_BYTES) {
      throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the reply is larger than ${MAX_RESPONSE_BYTES} bytes.`, {
        data: { limit: MAX_RESPONSE_BYTES },
      });
    }
    sink.onBytes(bytes);
  }

  function finish(): void {
    if (closed) return;
    settle();
    try {
      sink.onEnd();
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

  return {
    closed: () => closed,
    close,
    progress: () => idle.putOff(),
    pause() {
      if (closed || readerPaused) return;
      readerPaused = true;
      idle.stop();
      inflater?.pause();
      controller?.pause();
    },
    resume() {
      if (closed || !readerPaused) return;
      readerPaused = false;
      if (started) idle.start();
      inflater?.resume();
      controller?.resume();
    },
    handler: {
      fail,
      onRequestStart(given) {
        controller = given;
        if (queued) queue.leave(false);
        queued = false;
        if (closed) given.abort(new Error('The request was closed.'));
        else firstByte.start();
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
          firstByte.stop();
          if (!readerPaused) idle.start();
        }
        if (inflater === undefined) guarded(() => take(bytes));
        else if (!inflater.write(bytes)) controller?.pause();
      },
      onResponseEnd() {
        queue.ended();
        if (closed) return;
        firstByte.stop();
        if (inflater === undefined) finish();
        else inflater.end();
      },
      onResponseError(_, error) {
        fail(error);
      },
    },
  };
}
