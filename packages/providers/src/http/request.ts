import type { Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { createDeadlines } from './deadlines.ts';
import { networkError } from './errors.ts';
import { limitError } from './limits.ts';
import { MAX_QUIET, quietError, type ResolvedTimeouts, timeoutError } from './timeouts.ts';
import type { Exchange, ExchangeEvents, Transport, TransportRequest, ResponseHeaders } from './transport.ts';

/** Synchronously. An exception ends the request and comes back through `onError`. */
export interface ResponseHandler {
  /** Called once, before any data. */
  onHeaders(status: number, headers: ResponseHeaders): void;
  /** The memory is reused afterwards: copy what has to stay. */
  onData(bytes: Uint8Array): void;
  /** `isSent`: whether the request has left this process as well; a server may answer before it has read everything. */
  onEnd(isSent: boolean): void;
  /** Called at most once, as the last event, and never after `close`. */
  onError(error: unknown): void;
}

export interface HttpRequest {
  /** Suspends the idle timeout as well. */
  pause(): void;
  resume(): void;
  /** Restarts the idle timeout. Without content, it does so only a limited number of times. */
  extendIdleTimeout(hasContent: boolean): void;
  /** The handler is not called any more. Does nothing after the end. */
  close(): void;
}

/** Returns the handler of the rest of a non-2xx response. */
export type FailedStatusHandler = (
  status: number,
  headers: ResponseHeaders,
  handler: ResponseHandler,
) => ResponseHandler;

export interface HttpRequestOptions {
  readonly provider: string;
  readonly timeouts: ResolvedTimeouts;
  readonly redactor: Redactor;
  /** The limit applies to the decompressed body. */
  readonly responseBytes: number;
}

/** `elapsedMs` of the total time have already passed. */
export function createHttpRequest(
  options: HttpRequestOptions,
  successHandler: ResponseHandler,
  onFailedStatus: FailedStatusHandler,
  elapsedMs: number,
) {
  const { provider, redactor, responseBytes, timeouts } = options;
  let handler = successHandler;
  let exchange: Exchange | undefined;
  let closed = false;
  let hasData = false;
  let isQueued = false;
  let isPaused = false;
  let received = 0;

  const deadlines = createDeadlines(timeouts, elapsedMs, (timeout) =>
    fail(
      timeout === 'quiet'
        ? quietError(provider, timeouts.idleMs, MAX_QUIET)
        : timeoutError(provider, timeout, timeouts[timeout], isQueued ? 'for a free connection' : undefined),
    ),
  );

  function settle(): void {
    closed = true;
    deadlines.stop();
  }

  function close(): void {
    if (closed) return;
    settle();
    exchange?.abort();
  }

  function fail(error: unknown): void {
    if (closed) return;
    close();
    handler.onError(KernelError.is(error) ? error : networkError(provider, error, timeouts.connectMs, redactor));
  }

  function guarded(work: () => void): void {
    if (closed) return;
    try {
      work();
    } catch (error) {
      if (closed) return;
      close();
      handler.onError(error);
    }
  }

  function deliver(bytes: Uint8Array): void {
    received += bytes.length;
    if (received > responseBytes) {
      throw limitError(
        'responseBytes',
        `${provider}: the reply is larger than ${responseBytes} bytes`,
        responseBytes,
        'Raise limits.responseBytes of createProvider if the reply may be that large.',
      );
    }
    handler.onData(bytes);
  }

  function receiveHeaders(status: number, headers: ResponseHeaders): void {
    if (status >= 200 && status < 300) handler.onHeaders(status, headers);
    else handler = onFailedStatus(status, headers, handler);
  }

  const events: ExchangeEvents = {
    onQueued() {
      isQueued = true;
      // The requests that hold all connections may wait for readers that never read.
      deadlines.wait('idleMs');
    },
    onConnection() {
      if (isQueued) deadlines.suspend();
      isQueued = false;
    },
    onSend() {
      if (!closed) deadlines.wait('firstByteMs');
    },
    onHeaders: (status, headers) => guarded(() => receiveHeaders(status, headers)),
    onFirstByte() {
      hasData = true;
      if (!isPaused && !closed) deadlines.wait('idleMs');
    },
    onData: (bytes) => guarded(() => deliver(bytes)),
    onEnd(isSent) {
      if (closed) return;
      settle();
      try {
        handler.onEnd(isSent);
      } catch (error) {
        handler.onError(error);
      }
    },
    onError: fail,
  };

  return {
    close,
    fail,
    extendIdleTimeout: (hasContent: boolean) => deadlines.extend(hasContent),
    pause() {
      if (closed || isPaused) return;
      isPaused = true;
      deadlines.suspend();
      exchange?.pause();
    },
    resume() {
      if (closed || !isPaused) return;
      isPaused = false;
      deadlines.wait(hasData ? 'idleMs' : 'firstByteMs');
      exchange?.resume();
    },
    /** Does nothing after `close`. */
    send: (transport: Transport, request: TransportRequest) => {
      if (closed) return;
      exchange = transport.send(request, events);
      // A failure while it was being sent found nothing to abort.
      if (closed) exchange.abort();
    },
  };
}
