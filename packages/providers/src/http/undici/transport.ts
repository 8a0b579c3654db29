import type { Dispatcher } from 'undici';
import type { ConnectionPool } from '../pool.ts';
import {
  abortedError,
  hasBody,
  type Exchange,
  type ExchangeEvents,
  type Transport,
  type TransportOptions,
  type TransportRequest,
} from '../transport.ts';
import { protocolError } from '../errors.ts';
import { type Connection, openPool } from './connection.ts';
import zlib from 'node:zlib';

type Inflater = zlib.Gunzip | zlib.BrotliDecompress;

const DECOMPRESSORS: ReadonlyMap<string, () => Inflater> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** undici's connections report what `fetch` hides. Does not connect yet. */
export async function openTransport(options: TransportOptions): Promise<Transport> {
  const { provider } = options;
  const pool = await openPool(options);
  return { send: (request, events) => startExchange(provider, pool, request, events) };
}

function startExchange(
  provider: string,
  pool: ConnectionPool<Connection>,
  { body, headers, method, path }: TransportRequest,
  events: ExchangeEvents,
): Exchange {
  let controller: Dispatcher.DispatchController | undefined;
  let inflater: Inflater | undefined;
  let connection: Connection | undefined;
  let ended = false;
  let hasData = false;
  let isSent = false;
  let isPaused = false;

  function releaseConnection(): void {
    const held = connection;
    connection = undefined;
    held?.release();
  }

  function end(): void {
    if (ended) return;
    ended = true;
    events.onEnd(isSent);
  }

  /** The output comes in chunks of 16 KB, so that a decompression bomb meets the limit early. */
  function inflate(encoding: string, stream: Inflater): Inflater {
    stream.on('data', (bytes: Uint8Array) => {
      if (!ended) events.onData(bytes);
    });
    stream.on('drain', () => {
      if (!isPaused) controller?.resume();
    });
    stream.on('end', end);
    stream.on('error', (error: Error) => {
      if (!ended) events.onError(protocolError(provider, `the ${encoding} reply is corrupt: ${error.message}.`));
    });
    return stream;
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (ended) started.abort(abortedError());
      else events.onSend();
    },
    onResponseStart(started, status, responseHeaders) {
      // Views of the chunk that they came in, which undici keeps for as long as the reply lasts.
      started.rawHeaders = null;
      if (status < 200 || ended) return;
      const encoding = String(responseHeaders['content-encoding'] ?? '');
      const name = encoding.trim().toLowerCase();
      const create = DECOMPRESSORS.get(name);
      if (create !== undefined) inflater = inflate(encoding, create());
      else if (name !== '' && name !== 'identity') {
        events.onError(protocolError(provider, `unsupported content-encoding "${encoding}".`));
        return;
      }
      events.onHeaders(status, responseHeaders);
    },
    onResponseData(_, bytes) {
      if (ended) return;
      if (!hasData) {
        hasData = true;
        events.onFirstByte();
      }
      if (inflater === undefined) events.onData(bytes);
      else if (!inflater.write(bytes)) controller?.pause();
    },
    onResponseEnd() {
      isSent = connection?.isFlushed() ?? false;
      releaseConnection();
      if (inflater === undefined) end();
      else if (!ended) inflater.end();
    },
    onResponseError(_, error) {
      releaseConnection();
      if (ended) return;
      ended = true;
      inflater?.destroy();
      events.onError(error);
    },
  };

  const leaveQueue = pool.acquire((acquired) => {
    connection = acquired;
    events.onConnection();
    acquired.dispatch({ method, path, headers, body: hasBody(method) ? body : null }, handler);
  });
  if (connection === undefined && !ended) events.onQueued();

  return {
    pause() {
      isPaused = true;
      inflater?.pause();
      controller?.pause();
    },
    resume() {
      isPaused = false;
      inflater?.resume();
      controller?.resume();
    },
    abort() {
      if (ended) return;
      ended = true;
      leaveQueue();
      inflater?.destroy();
      if (controller === undefined) connection?.abortConnect();
      else controller.abort(abortedError());
    },
  };
}
