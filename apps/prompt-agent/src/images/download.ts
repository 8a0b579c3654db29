import { lookup as lookUp } from 'node:dns';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { KernelError } from '@kernel/protocol';

const MAX_REDIRECTS = 5;

/** The limits of a download. */
export interface DownloadLimits {
  /** The size of the body at most. */
  readonly maxBytes: number;
  /** How long it may take, redirects included. */
  readonly timeoutMs: number;
  /** Whether connections to an IP address are refused. */
  readonly isRefused: (address: string) => boolean;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

/**
 * Downloads a URL within `timeoutMs` and `maxBytes`, following at most 5 redirects. The address is checked when the connection is made,
 * again for each redirect, so that a name cannot resolve differently in between. Sends no credentials and no cookies.
 */
export async function download(source: string, limits: DownloadLimits): Promise<Uint8Array> {
  const clock = AbortSignal.timeout(limits.timeoutMs);
  const signal = AbortSignal.any([limits.signal, clock]);
  try {
    let url = new URL(source);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      const response = await get(url, limits.isRefused, signal);
      const { location } = response.headers;
      if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) {
        return await readBody(response, source, limits.maxBytes, signal);
      }
      response.destroy();
      url = new URL(location, url);
    }
    throw fault(source, `it redirected more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    limits.signal.throwIfAborted();
    if (KernelError.is(error)) throw error;
    throw fault(source, clock.aborted ? `it took longer than ${limits.timeoutMs} ms` : describe(error));
  }
}

function get(url: URL, isRefused: DownloadLimits['isRefused'], signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error(`it leads to a ${url.protocol} address`);
    // `lookup` is not called for a literal address.
    if (isIP(host) !== 0 && isRefused(host)) throw refused(host);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = send(url, {
      signal,
      agent: false,
      headers: { accept: 'image/*' },
      lookup: guardedLookup(isRefused),
    });
    outgoing.on('response', resolve).on('error', reject).end();
  });
}

/** Resolves a name for a connection; a refused address fails the connection. */
function guardedLookup(isRefused: DownloadLimits['isRefused']): LookupFunction {
  return (hostname, options, done) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => isRefused(address)))
        return done(refused(hostname), '', 0);
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

async function readBody(
  response: IncomingMessage,
  source: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const abort = () => response.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (response.statusCode !== 200) throw fault(source, `the server answered ${response.statusCode ?? 'nothing'}`);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > maxBytes) throw fault(source, `it is larger than ${maxBytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } finally {
    signal.removeEventListener('abort', abort);
    response.destroy();
  }
}

function refused(host: string): Error {
  return new Error(`"${host}" is a private address, which only --allow-private-images allows`);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function fault(source: string, why: string): KernelError {
  return new KernelError('PROVIDER_NETWORK', `The image ${source} was not loaded: ${why}.`);
}
