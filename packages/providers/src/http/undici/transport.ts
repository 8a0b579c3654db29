import { KernelError } from '@kernel/protocol';
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
import { type Connection, openPool } from './connection.ts';
import zlib from 'node:zlib';

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

  function inflate(encoding: string): Inflater {
    return createInflater(encoding, {
      onData: (bytes) => {
        if (!ended) events.onData(bytes);
      },
      onDrain: () => {
        if (!isPaused) controller?.resume();
      },
      onEnd: end,
      onError: (error) => {
        if (ended) return;
        const message = `${provider}: the ${encoding} reply is corrupt: ${error.message}.`;
        events.onError(new KernelError('PROVIDER_PROTOCOL', message));
      },
    });
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (ended) started.abort(abortedError());
      else events.onSend();
    },
    onResponseStart(_, status, responseHeaders) {
      if (status < 200 || ended) return;
      const encoding = String(responseHeaders['content-encoding'] ?? '');
      const kind = classifyEncoding(encoding);
      if (kind === 'unsupported') {
        const message = `${provider}: unsupported content-encoding "${encoding}".`;
        events.onError(new KernelError('PROVIDER_PROTOCOL', message));
        return;
      }
      if (kind === 'supported') inflater = inflate(encoding);
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

export interface Inflater {
  /** False when the caller should pause until `onDrain`. */
  write(bytes: Uint8Array): boolean;
  end(): void;
  pause(): void;
  resume(): void;
  /** No event follows. */
  destroy(): void;
}

export interface InflaterEvents {
  onData(bytes: Uint8Array): void;
  /** `write` may continue. */
  onDrain(): void;
  onEnd(): void;
  onError(error: Error): void;
}

export function classifyEncoding(value: string | undefined): 'identity' | 'supported' | 'unsupported' {
  const name = (value ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return 'identity';
  return DECOMPRESSORS.has(name) ? 'supported' : 'unsupported';
}

const DECOMPRESSORS: ReadonlyMap<string, () => zlib.Gunzip | zlib.BrotliDecompress> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
]);

/** Its output comes in chunks of 16 KB, so that a decompression bomb meets the limit early. */
export function createInflater(encoding: string, events: InflaterEvents): Inflater {
  const create = DECOMPRESSORS.get(encoding.trim().toLowerCase()) ?? (() => zlib.createGunzip());
  const stream = create();
  stream.on('data', (bytes: Uint8Array) => events.onData(bytes));
  stream.on('drain', () => events.onDrain());
  stream.on('end', () => events.onEnd());
  stream.on('error', (error: Error) => events.onError(error));
  return {
    write: (bytes) => stream.write(bytes),
    end: () => void stream.end(),
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
    destroy: () => void stream.destroy(),
  };
}
