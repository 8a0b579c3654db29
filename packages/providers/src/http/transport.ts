import type { ConnectionSettings } from './connection-settings.ts';
import type { ResponseHeaders } from './headers.ts';

/** A request to the origin of its transport. */
export interface TransportRequest {
  /** A GET has no body. */
  readonly method: 'GET' | 'POST';
  /** Begins with a slash; may have a query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as it is sent; empty for a GET. */
  readonly body: string | Uint8Array;
}

/** What a transport reports of one request, synchronously and in this order. Nothing after `onEnd`, `onError` and `Exchange.abort`. */
export interface ExchangeEvents {
  /** Other requests hold all connections. */
  onQueued(): void;
  /** The request has a connection, or one that is being established. */
  onConnection(): void;
  /** The request is being sent. */
  onSend(): void;
  /** The status line and the headers. */
  onHeaders(status: number, headers: ResponseHeaders): void;
  /** The body begins to arrive, perhaps compressed. */
  onFirstByte(): void;
  /** A chunk of the body, decompressed. The memory is reused afterwards. */
  onData(bytes: Uint8Array): void;
  /** The response is complete. `isSent` says whether the request is known to have left this process as well. */
  onEnd(isSent: boolean): void;
  /** What failed, not redacted yet. */
  onError(error: unknown): void;
}

/** A request on its way. */
export interface Exchange {
  /** Stops reading from the connection. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Gives the request up and closes its connection. Does nothing after the end. */
  abort(): void;
}

/** Sends requests to one origin. */
export interface Transport {
  /** Sends a request as soon as there is a connection for it. */
  send(request: TransportRequest, events: ExchangeEvents): Exchange;
}

/** What a transport is opened with. */
export interface TransportOptions extends ConnectionSettings {
  /** The provider's name, for errors. */
  readonly provider: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The connect timeout; 0 means none. */
  readonly connectMs: number;
  /** The maximum number of open connections. */
  readonly connections: number;
  /** What sends the requests; absent for the transport of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Gets what must not appear in an error. */
  onSecret(secret: string): void;
}

/** The error of a request that was given up. */
export function abortedError(): Error {
  return new Error('The request was closed.');
}
