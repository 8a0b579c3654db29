import type { Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { Dispatcher } from 'undici';
import { createDeadlines } from './deadlines.ts';
import { networkError } from './errors.ts';
import type { ResponseHeaders } from './headers.ts';
import { classifyEncoding, createInflater, type Inflater } from './inflate.ts';
import { limitError } from './limits.ts';
import type { Connection, ConnectionPool } from './pool.ts';
import { type ResolvedTimeouts, timeoutError } from './timeouts.ts';

/** Receives one response, synchronously. An exception ends the request and comes back through `onError`. */
export interface ResponseHandler {
  /** The status line and the headers. Called once, before any data. */
  onHeaders(status: number, headers: ResponseHeaders): void;
  /** A chunk of the body, decompressed. The memory is reused afterwards: copy what has to stay. */
  onData(bytes: Uint8Array): void;
  /** The response is complete. `isSent` says whether the request has left this process as well: a server may answer before it has read everything. */
  onEnd(isSent: boolean): void;
  /** Called at most once, as the last event. Not called after `close`. */
  onError(error: unknown): void;
}

/** A request in progress. */
export interface HttpRequest {
  /** Stops reading from the socket, and suspends the idle timeout. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Restarts the idle timeout. */
  extendIdleTimeout(): void;
  /** Cancels the request and closes its socket; the handler is not called any more. Does nothing after the end. */
  close(): void;
}

/** What all requests of a provider share. */
export interface HttpRequestOptions {
  /** The provider's name, for errors. */
  readonly provider: string;
  /** The timeouts of each request. */
  readonly timeouts: ResolvedTimeouts;
  /** Knows the secrets that must not appear in an error. */
  readonly redactor: Redactor;
  /** The maximum number of bytes of one response, after decompression. */
  readonly responseBytes: number;
}

/** A request that was not sent yet. */
export interface UnsentHttpRequest extends HttpRequest {
  /** Sends the request as soon as the pool has a connection. Does nothing after `close`. */
  readonly send: (pool: ConnectionPool, options: Dispatcher.DispatchOptions) => void;
  /** Ends the request with an error. */
  readonly fail: (error: unknown) => void;
}

/** Creates one request with its deadlines, limits and content encoding. `elapsedMs` of its total time have already passed. */
export function createHttpRequest(
  options: HttpRequestOptions,
  handler: ResponseHandler,
  elapsedMs: number,
): UnsentHttpRequest {
  const { provider, redactor, responseBytes, timeouts } = options;
  let controller: Dispatcher.DispatchController | undefined;
  let inflater: Inflater | undefined;
  let leaveQueue: (() => void) | undefined;
  let connection: Connection | undefined;
  let closed = false;
  let hasData = false;
  let isSent = false;
  let isPaused = false;
  let received = 0;

  const deadlines = createDeadlines(timeouts, elapsedMs, (timeout) =>
    fail(
      timeoutError(
        provider,
        timeout,
        timeouts[timeout],
        leaveQueue === undefined ? undefined : 'for a free connection',
      ),
    ),
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
    if (controller === undefined) connection?.abortConnect();
    else controller.abort(new Error('The request was closed.'));
  }

  function releaseConnection(): void {
    const held = connection;
    connection = undefined;
    held?.release();
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

  function finish(): void {
    if (closed) return;
    settle();
    try {
      handler.onEnd(isSent);
    } catch (error) {
      handler.onError(error);
    }
  }

  function inflate(encoding: string): Inflater {
    return createInflater(encoding, {
      onData: (bytes) => guarded(() => deliver(bytes)),
      onDrain: () => {
        if (!isPaused) controller?.resume();
      },
      onEnd: finish,
      onError: (error) =>
        fail(new KernelError('PROVIDER_PROTOCOL', `${provider}: the ${encoding} reply is corrupt: ${error.message}.`)),
    });
  }

  const dispatchHandler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (closed) started.abort(new Error('The request was closed.'));
      else deadlines.wait('firstByteMs');
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return;
      guarded(() => {
        const encoding = String(headers['content-encoding'] ?? '');
        const kind = classifyEncoding(encoding);
        if (kind === 'unsupported') {
          throw new KernelError('PROVIDER_PROTOCOL', `${provider}: unsupported content-encoding "${encoding}".`);
        }
        if (kind === 'supported') inflater = inflate(encoding);
        handler.onHeaders(status, headers);
      });
    },
    onResponseData(_, bytes) {
      if (closed) return;
      if (!hasData) {
        hasData = true;
        if (!isPaused) deadlines.wait('idleMs');
      }
      if (inflater === undefined) guarded(() => deliver(bytes));
      else if (!inflater.write(bytes)) controller?.pause();
    },
    onResponseEnd() {
      isSent = connection?.isFlushed() ?? false;
      releaseConnection();
      if (closed) return;
      if (inflater === undefined) finish();
      else inflater.end();
    },
    onResponseError(_, error) {
      releaseConnection();
      fail(error);
    },
  };

  return {
    close,
    fail,
    extendIdleTimeout: () => deadlines.extend(),
    pause() {
      if (closed || isPaused) return;
      isPaused = true;
      deadlines.suspend();
      inflater?.pause();
      controller?.pause();
    },
    resume() {
      if (closed || !isPaused) return;
      isPaused = false;
      deadlines.wait(hasData ? 'idleMs' : 'firstByteMs');
      inflater?.resume();
      controller?.resume();
    },
    send(pool, dispatchOptions) {
      if (closed) return;
      const leave = pool.acquire((acquired) => {
        if (leaveQueue !== undefined) deadlines.suspend();
        leaveQueue = undefined;
        connection = acquired;
        acquired.dispatch(dispatchOptions, dispatchHandler);
      });
      if (connection !== undefined || closed) return;
      leaveQueue = leave;
      // Other requests hold all connections: they may wait for readers who never read.
      deadlines.wait('idleMs');
    },
  };
}
