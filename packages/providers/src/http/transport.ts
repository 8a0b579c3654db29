import type { ConnectionSettings } from './connection-settings.ts';
import type { ResponseHeaders } from './headers.ts';

/** The HTTP methods that the vendors' APIs use. */
export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Whether requests of a method have a body. */
export function hasBody(method: HttpMethod): boolean {
  return method === 'POST' || method === 'PATCH';
}

/** A request to the origin of its transport. */
export interface TransportRequest {
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** Begins with a slash; may have a query. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, as it is sent; empty where the method has none. */
  readonly body: string | Uint8Array;
}

/** What a transport reports about one request, synchronously and in this order. Nothing follows `onEnd`, `onError` or `Exchange.abort`. */
export interface ExchangeEvents {
  /** The request waits, because other requests hold all connections. */
  onQueued(): void;
  /** The request has a connection, or one that is being established. */
  onConnection(): void;
  /** The request is being sent. */
  onSend(): void;
  /** The status line and the headers. */
  onHeaders(status: number, headers: ResponseHeaders): void;
  /** The first bytes of the body, still compressed, have arrived. */
  onFirstByte(): void;
  /** A chunk of the body, decompressed. The memory is reused afterwards. */
  onData(bytes: Uint8Array): void;
  /** The response is complete. `isSent` says whether the request is known to have left this process as well. */
  onEnd(isSent: boolean): void;
  /** The request failed; the error is not redacted yet. */
  onError(error: unknown): void;
}

/** A request on its way. */
export interface Exchange {
  /** Stops reading from the connection. */
  pause(): void;
  /** Continues reading. */
  resume(): void;
  /** Cancels the request and closes its connection. Does nothing after the end. */
  abort(): void;
}

/** Sends requests to one origin. */
export interface Transport {
  /** Sends a request as soon as there is a connection for it. */
  send(request: TransportRequest, events: ExchangeEvents): Exchange;
}

/** Options of a transport. */
export interface TransportOptions extends ConnectionSettings {
  /** The provider's name, for errors. */
  readonly provider: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The connect timeout in milliseconds; 0 means none. */
  readonly connectMs: number;
  /** The maximum number of open connections. */
  readonly connections: number;
  /** What sends the requests; absent for the transport of the platform. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called with each secret that must not appear in an error. */
  onSecret(secret: string): void;
}

/** The error of a request that was cancelled. */
export function abortedError(): Error {
  return new Error('The request was closed.');
}
