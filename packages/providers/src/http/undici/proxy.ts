import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { KernelError } from '@kernel/protocol';
import type { TlsSettings } from '../connection-settings.ts';
import { readProxyCredential } from '../proxy-credential.ts';

/** A proxy, without its credential. */
export interface Proxy {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The credential as a header; empty if there is none. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the URL of a proxy. `onSecret` gets its user name and password, and what is sent of them. */
export function parseProxy(provider: string, text: string, onSecret: (secret: string) => void): Proxy {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new KernelError('CONFIG_INVALID', `${provider}: the proxy is not an http or https URL.`, {
      hint: 'Check proxy, or https_proxy and http_proxy of the environment.',
    });
  }
  const { password, user } = readProxyCredential(provider, url);
  if (user === '' && password === '') return { origin: url.origin, headers: {} };
  const credential = Buffer.from(`${user}:${password}`).toString('base64');
  for (const secret of [user, url.username, password, url.password, credential]) if (secret !== '') onSecret(secret);
  return { origin: url.origin, headers: { 'proxy-authorization': `Basic ${credential}` } };
}

/** What can be given up. */
export interface Attempt {
  /** Closes its connection; the error is its outcome. */
  destroy(error: Error): void;
}

/** What a tunnel is opened with. */
interface TunnelOptions {
  readonly provider: string;
  readonly proxy: Proxy;
  /** Host and port of the target. */
  readonly target: string;
  readonly tls: TlsSettings | undefined;
  /** 0 means none. */
  readonly connectMs: number;
}

/** Asks a proxy for a tunnel to a target (CONNECT). Calls back once, with the socket or the error. */
export function openTunnel(
  { connectMs, provider, proxy, target, tls }: TunnelOptions,
  callback: (error: Error | undefined, socket: Socket | undefined) => void,
): Attempt {
  let attempt: Attempt | undefined;
  let given: Error | undefined;
  const isSecure = proxy.origin.startsWith('https:');
  const { hostname, port } = new URL(proxy.origin);
  const timer = connectMs === 0 ? undefined : setTimeout(() => attempt?.destroy(connectTimeout()), connectMs);
  const settle = (error: Error | undefined, socket?: Socket): void => {
    clearTimeout(timer);
    callback(error, socket);
  };
  const ask = async (): Promise<void> => {
    const { request } = await (isSecure ? import('node:https') : import('node:http'));
    const connect = request({
      ...(isSecure ? { ...proxyCertificates(tls), servername: proxyServerName(proxy) } : {}),
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 443 : 80) : port,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxy.headers },
      agent: false,
    });
    attempt = connect;
    connect.once('connect', (response, socket: Socket) => {
      if (response.statusCode === 200) {
        settle(undefined, socket);
      } else {
        socket.destroy();
        settle(refusal(provider, proxy, response));
      }
    });
    connect.once('error', (error) => settle(error));
    connect.end();
    if (given !== undefined) connect.destroy(given);
  };
  ask().catch(settle);
  return {
    destroy(error) {
      given = error;
      attempt?.destroy(error);
    },
  };
}

/** The name that TLS asks a proxy for, whatever `Host` says; empty for an address, which TLS does not take as a name. */
export function proxyServerName({ origin }: Proxy): string {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

/** What of the settings holds for a proxy as well. */
export function proxyCertificates({ ca, cert, key, passphrase }: TlsSettings = {}): object {
  return { ca, cert, key, passphrase };
}

function refusal(provider: string, { origin }: Proxy, { statusCode = 0 }: IncomingMessage): KernelError {
  return new KernelError('PROVIDER_NETWORK', `${provider}: the proxy ${origin} answered ${statusCode}.`, {
    retryable: statusCode >= 500,
    hint: statusCode === 407 ? 'Put user name and password of the proxy into its URL.' : undefined,
    data: { proxyStatus: statusCode },
  });
}

function connectTimeout(): Error {
  return Object.assign(new Error('The proxy did not answer in time.'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
}
