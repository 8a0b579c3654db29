import { isLoopback, MAX_TIMER_MS } from '@kernel/internal';
import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import type { EventStore } from '@modelcontextprotocol/server';
import { SERVER_KEYS, type ServerOptions } from '../server-options.ts';
import { checkWholeNumber } from '../whole-number.ts';

/** How to serve over streamable HTTP. */
export interface ServeHttpOptions extends ServerOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. A host that other machines can reach requires a `token`. */
  readonly host?: string | undefined;
  /** Default `/mcp`. */
  readonly path?: string | undefined;
  /** The bearer token that every request must carry. Without it anyone on this machine may call. */
  readonly token?: string | undefined;
  /** Host names, without port, by which clients may address the server. Default: the names of this machine, and `host`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Host names of web pages that may call the server, without scheme and port. Default: the names of this machine. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The longest request body, in bytes. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How many sessions may be open at once. Default 100; any further client gets 503. */
  readonly maxSessions?: number | undefined;
  /** After how long without a request or an open stream a session ends. Default 10 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /**
   * Creates the event store of one session, with which a client that lost its connection gets what it missed. With it, a lost connection
   * does not abort the calls; without it they are aborted, since nobody could get their results.
   */
  readonly createEventStore?: (() => EventStore) | undefined;
}

const KEYS = optionKeys<ServeHttpOptions>({
  ...SERVER_KEYS,
  port: true,
  host: true,
  path: true,
  token: true,
  allowedHosts: true,
  allowedOrigins: true,
  maxBodyBytes: true,
  maxSessions: true,
  sessionIdleMs: true,
  createEventStore: true,
});

type Optional = 'token' | 'createEventStore';

export type HttpSettings = {
  readonly [K in Exclude<keyof ServeHttpOptions, keyof ServerOptions | Optional>]-?: NonNullable<ServeHttpOptions[K]>;
} & Pick<ServeHttpOptions, Optional>;

export function httpSettings(options: ServeHttpOptions): HttpSettings {
  checkKeys('serveHttp', options, KEYS);
  const { host = '127.0.0.1', token, path = '/mcp', createEventStore } = options;
  if (token !== undefined && !/^[!-~]+$/.test(token))
    throw invalid(
      'token is empty or contains characters that a header cannot carry',
      'Use printable ASCII characters without spaces.',
    );
  if (token === undefined && !isLoopback(host))
    throw invalid(
      `host "${host}" can be reached from other machines, but there is no token`,
      'Set a token, or use 127.0.0.1.',
    );
  if (!path.startsWith('/')) throw invalid(`path "${path}" does not begin with "/"`, 'Write it like "/mcp".');
  const localNames = ['localhost', '127.0.0.1', '[::1]'];
  return {
    port: wholeNumber('port', options.port ?? 0, 0, 65_535),
    host,
    path,
    token,
    allowedHosts: lowerCased(options.allowedHosts ?? [...localNames, toUrlHost(host)]),
    allowedOrigins: lowerCased(options.allowedOrigins ?? localNames),
    maxBodyBytes: wholeNumber('maxBodyBytes', options.maxBodyBytes ?? 4 * 1024 * 1024, 1),
    maxSessions: wholeNumber('maxSessions', options.maxSessions ?? 100, 1),
    sessionIdleMs: wholeNumber('sessionIdleMs', options.sessionIdleMs ?? 600_000, 1, MAX_TIMER_MS),
    createEventStore,
  };
}

export function toUrlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Host names are compared in lower case. */
function lowerCased(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

function wholeNumber(...[name, value, minimum, maximum]: [string, number, number, number?]): number {
  return checkWholeNumber('serveHttp', name, value, minimum, maximum);
}

function invalid(what: string, hint: string): KernelError {
  return new KernelError('CONFIG_INVALID', `serveHttp: ${what}.`, { hint });
}
