import { isUtf8 } from 'node:buffer';
import { lookup as lookUp } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { errorMessage, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { isPublicAddress } from './public-address.ts';

/** What a download may do. */
export interface DownloadOptions {
  /** The largest body, in bytes after decompression. */
  readonly maxBytes: number;
  /** How long it may take in milliseconds, redirects included. */
  readonly timeoutMs: number;
  /** How many redirects are followed. */
  readonly maxRedirects: number;
  /** Whether a connection to an IP address may be made. Default: to public ones. */
  readonly mayConnect?: ((address: string) => boolean) | undefined;
  /** Whether a redirect is followed; otherwise it is the result. Default: every one. */
  readonly mayFollow?: ((from: URL, to: URL) => boolean | Promise<boolean>) | undefined;
  /** The headers of each request. Credentials do not belong here: redirects get them too. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

/** What was downloaded. */
export interface Download {
  /** The address that answered, after redirects. */
  readonly url: URL;
  /** The status code. */
  readonly status: number;
  /** The media type with its parameters, as the server gave it; empty if it gave none. */
  readonly contentType: string;
  /** The decompressed body. */
  readonly body: Uint8Array;
  /** Where a redirect that was not followed leads. */
  readonly location?: URL;
}

/** The longest address that servers can be expected to take. */
const MAX_ADDRESS = 8000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads an http or https address. Every address that a name resolves to is checked when the connection is made, and again for each redirect, so that a name
 * cannot resolve differently in between. Sends no cookies.
 *
 * Throws `TOOL_FAILED` with the reason: a private address, a limit, another scheme, credentials in the address, a broken connection.
 */
export async function guardedGet(source: string, options: DownloadOptions): Promise<Download> {
  const clock = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, clock]);
  try {
    let url = checkAddress(source);
    for (let hop = 0; hop <= options.maxRedirects; hop += 1) {
      // Each address depends on the answer of the one before.
      const response = await get(url, options, signal);
      try {
        const location = locationOf(response, url);
        if (location === undefined || (await options.mayFollow?.(url, location)) === false)
          return {
            url,
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            body: location === undefined ? await readBody(response, options.maxBytes, signal) : new Uint8Array(),
            ...(location === undefined ? {} : { location }),
          };
        url = location;
      } finally {
        response.destroy();
      }
    }
    throw new Error(`it redirected more than ${options.maxRedirects} times`);
  } catch (error) {
    options.signal.throwIfAborted();
    const reason = clock.aborted ? `it took longer than ${options.timeoutMs} ms` : reasonOf(error);
    throw new KernelError('TOOL_FAILED', `${shown(source)} was not loaded: ${reason}.`, { cause: error });
  }
}

function checkAddress(source: string): URL {
  if (!URL.canParse(source)) throw new Error('it is not a valid address');
  const url = new URL(source);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Error(`only http and https addresses are loaded, not "${url.protocol}"`);
  if (url.username !== '' || url.password !== '') throw new Error('it holds credentials');
  if (url.href.length > MAX_ADDRESS) throw new Error(`an address has more than ${MAX_ADDRESS} characters`);
  return url;
}

function locationOf(response: IncomingMessage, from: URL): URL | undefined {
  const header = response.headers.location;
  if (header === undefined || !REDIRECTS.has(response.statusCode ?? 0)) return undefined;
  // Node reads the bytes of a header as Latin-1; where they are UTF-8, the server meant that.
  const bytes = Buffer.from(header, 'latin1');
  const location = isUtf8(bytes) ? bytes.toString() : header;
  if (!URL.canParse(location, from.href)) throw new Error('it redirected to an address that is not valid');
  return checkAddress(new URL(location, from).href);
}

async function get(url: URL, options: DownloadOptions, signal: AbortSignal): Promise<IncomingMessage> {
  const mayConnect = options.mayConnect ?? isPublicAddress;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // `lookup` is not called for a literal address.
  if (isIP(host) !== 0 && !mayConnect(host)) throw refused(host);
  // Importing `node:http` takes longer than all of this package.
  const { request } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      signal,
      agent: false,
      maxHeaderSize: 65_536,
      headers: { 'accept-encoding': 'gzip, deflate, br', ...options.headers },
      lookup: guardedLookup(mayConnect),
    });
    outgoing.on('response', resolve).on('error', reject).end();
  });
}

function guardedLookup(mayConnect: (address: string) => boolean): LookupFunction {
  return (hostname, options, done) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, '', 0);
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !mayConnect(address)))
        return done(refused(hostname), '', 0);
      return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
    });
  };
}

function refused(host: string): Error {
  return new Error(`"${host}" is not a public address`);
}

function reasonOf(error: unknown): string {
  const codes: Readonly<Record<string, string>> = {
    ENOTFOUND: 'there is no such host',
    ECONNREFUSED: 'the server refused the connection',
    ECONNRESET: 'the server closed the connection',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return codes[code] ?? errorMessage(error).replace(/\.$/, '');
}

function shown(source: string): string {
  const text = URL.canParse(source) ? withoutCredentials(new URL(source)) : source;
  return JSON.stringify(sliceHead(text, 300));
}

function withoutCredentials(url: URL): string {
  url.username = '';
  url.password = '';
  return url.href;
}

/**
 * Reads the body of a response, unpacked. Rejects beyond `maxBytes`, which also count after unpacking: a small packed
 * body can hide a large one.
 */
async function readBody(response: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const encoding = encodingOf(response);
  const abort = () => response.destroy(new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  try {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    }
    const body = Buffer.concat(parts);
    if (encoding === '' || size === 0) return body;
    const { unpack } = await import('./unpack.ts');
    return await unpack(encoding, body, maxBytes);
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(maxBytes)
      : error;
  } finally {
    signal.removeEventListener('abort', abort);
    response.destroy();
  }
}

function tooLarge(maxBytes: number): Error {
  return new Error(`it is larger than ${maxBytes} bytes`);
}

const ENCODINGS: ReadonlySet<string> = new Set(['', 'gzip', 'x-gzip', 'deflate', 'br']);

/** How a body is packed; empty if it isn't. */
function encodingOf(response: IncomingMessage): string {
  const encodings = (response.headers['content-encoding'] ?? '').split(',').map((each) => each.trim().toLowerCase());
  const [encoding = '', ...more] = encodings.filter((each) => each !== '' && each !== 'identity');
  if (more.length === 0 && ENCODINGS.has(encoding)) return encoding;
  throw new Error(`it is packed as "${sliceHead(encodings.join(', '), 80)}"`);
}
