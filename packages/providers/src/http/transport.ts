import type { ConnectionSettings } from './connection-settings.ts';

export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export function hasBody(method: HttpMethod): boolean {
  return method === 'POST' || method === 'PATCH';
}

export interface TransportRequest {
  readonly method: HttpMethod;
  /** Begins with a slash; may have a query. */
  readonly path: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Is empty for a method that has no body. */
  readonly body: string | Uint8Array;
}

/** Synchronously and in this order. Nothing follows `onEnd`, `onError` or `Exchange.abort`. */
export interface ExchangeEvents {
  /** Other requests hold all connections. */
  onQueued(): void;
  /** A connection, or an attempt to establish one, serves the request. */
  onConnection(): void;
  onSend(): void;
  onHeaders(status: number, headers: ResponseHeaders): void;
  /** Still compressed. */
  onFirstByte(): void;
  /** Decompressed. The memory is reused afterwards. */
  onData(bytes: Uint8Array): void;
  onEnd(isSent: boolean): void;
  /** The error may still contain secrets. */
  onError(error: unknown): void;
}

export interface Exchange {
  pause(): void;
  resume(): void;
  /** Does nothing after the end. */
  abort(): void;
}

export interface Transport {
  send(request: TransportRequest, events: ExchangeEvents): Exchange;
}

export interface TransportOptions extends ConnectionSettings {
  readonly provider: string;
  readonly origin: string;
  /** 0 means none. */
  readonly connectMs: number;
  readonly connections: number;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called for each secret that must not appear in an error. */
  onSecret(secret: string): void;
}

export function abortedError(): Error {
  return new Error('The request was closed.');
}

/** Names are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export const DEFAULT_USER_AGENT = 'kernel-providers';

const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;

export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}
