import { KernelError } from '@kernel/protocol';
import type { EventStore } from '@modelcontextprotocol/server';
import { LONGEST_TIMER_MS } from '../longest-timer.ts';
import type { ServerOptions } from './server-options.ts';

/** How a server over streamable HTTP is served. */
export interface ServeHttpOptions extends ServerOptions {
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Default `127.0.0.1`. Anything but this machine itself needs a `token`. */
  readonly host?: string | undefined;
  /** Default `/mcp`. */
  readonly path?: string | undefined;
  /** The bearer token that every request must bring. Without it anyone on this machine may call. */
  readonly token?: string | undefined;
  /** Host names, without port, under which clients may address the server. Default: the names of this machine, and `host`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Host names of web pages that may call, without scheme and port. Default: the names of this machine. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** The longest request body. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How many sessions may be open at once. Default 100; a further client gets 503. */
  readonly maxSessions?: number | undefined;
  /** After this long without any request or open stream a session ends. Default 10 minutes. */
  readonly sessionIdleMs?: number | undefined;
  /**
   * Makes the event store of one session, so that a client that lost its connection gets what it missed. With it, a lost connection
   * does not abort the calls; without it, nobody could get their results.
   */
  readonly createEventStore?: (() => EventStore) | undefined;
}

/** Options with every default in its place. */
export interface HttpSettings {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly maxSessions: number;
  readonly sessionIdleMs: number;
  readonly createEventStore: (() => EventStore) | undefined;
}

/** Fills in the defaults. Throws `CONFIG_INVALID` for what cannot be served, or not safely. */
export function httpSettings(options: ServeHttpOptions): HttpSettings {
  const { host = '127.0.0.1', token, path = '/mcp', createEventStore } = options;
  if (token !== undefined && !/^[!-~]+$/.test(token))
    throw invalid(
      'token is empty or holds what a header cannot carry',
      'Use letters, digits and signs of ASCII, no spaces.',
    );
  if (token === undefined && !isLoopback(host))
    throw invalid(
      `host "${host}" can be reached from other machines, and there is no token`,
      'Set token, or use 127.0.0.1.',
    );
  if (!path.startsWith('/')) throw invalid(`path "${path}" does not begin with "/"`, 'Write it like "/mcp".');
  const own = ['localhost', '127.0.0.1', '[::1]'];
  return {
    port: wholeNumber('port', options.port ?? 0, 0, 65_535),
    host,
    path,
    token,
    allowedHosts: lowerCased(options.allowedHosts ?? [...own, inUrl(host)]),
    allowedOrigins: lowerCased(options.allowedOrigins ?? own),
    maxBodyBytes: wholeNumber('maxBodyBytes', options.maxBodyBytes ?? 4 * 1024 * 1024, 1),
    maxSessions: wholeNumber('maxSessions', options.maxSessions ?? 100, 1),
    sessionIdleMs: wholeNumber('sessionIdleMs', options.sessionIdleMs ?? 600_000, 1, LONGEST_TIMER_MS),
    createEventStore,
  };
}

/** Returns a host as it stands in an address: IPv6 in brackets. */
export function inUrl(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Host names are compared in lower case. */
function lowerCased(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

function wholeNumber(name: string, value: number, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(`${name} is ${value}`, `It must be a whole number from ${least} to ${most}.`);
}

function invalid(what: string, hint: string): KernelError {
  return new KernelError('CONFIG_INVALID', `serveHttp: ${what}.`, { hint });
}
