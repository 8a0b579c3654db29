import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { KernelError } from '@kernel/protocol';
import { type TlsSettings, readProxyCredential } from '../connection-settings.ts';
import { configError } from '../../config/config-error.ts';

/** The credential of the proxy is not part of it. */
export interface Proxy {
  readonly origin: string;
  /** The credential; empty if there is none. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `onSecret` gets the user name and the password, plain and encoded. */
export function parseProxy(provider: string, text: string, onSecret: (secret: string) => void): Proxy {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw configError(
      provider,
      'the proxy is not an http or https URL.',
      'Check proxy in the config, or https_proxy and http_proxy in the environment.',
    );
  }
  const { password, user } = readProxyCredential(provider, url);
  if (user === '' && password === '') return { origin: url.origin, headers: {} };
  const credential = Buffer.from(`${user}:${password}`).toString('base64');
  for (const secret of [user, url.username, password, url.password, credential]) if (secret !== '') onSecret(secret);
  return { origin: url.origin, headers: { 'proxy-authorization': `Basic ${credential}` } };
}

export interface ConnectAttempt {
  /** The callback gets the error. */
  destroy(error: Error): void;
}

interface TunnelOptions {
  readonly provider: string;
  readonly proxy: Proxy;
  /** Host and port. */
  readonly target: string;
  readonly tls: TlsSettings | undefined;
}

/** Calls back once, with the socket or the error. */
export function openTunnel(
  { provider, proxy, target, tls }: TunnelOptions,
  callback: (error: Error | undefined, socket: Socket | undefined) => void,
): ConnectAttempt {
  let attempt: ConnectAttempt | undefined;
  let destroyedWith: Error | undefined;
  const isSecure = proxy.origin.startsWith('https:');
  const { hostname, port } = new URL(proxy.origin);
  const fail = (error: Error): void => callback(error, undefined);
  const requestTunnel = async (): Promise<void> => {
    const { request } = await (isSecure ? import('node:https') : import('node:http'));
    const connect = request({
      ...(isSecure ? { ...proxyTls(tls), servername: proxyServerName(proxy) } : {}),
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (isSecure ? 443 : 80) : port,
      method: 'CONNECT',
      path: target,
      headers: { host: target, ...proxy.headers },
      agent: false,
    });
    attempt = connect;
    connect.once('connect', (response, socket: Socket) => {
      const { statusCode = 0 } = response;
      // Any status of success opens the tunnel: https://www.rfc-editor.org/rfc/rfc9110#CONNECT
      if (statusCode >= 200 && statusCode < 300) {
        callback(undefined, socket);
      } else {
        socket.destroy();
        callback(refusedError(provider, proxy, response), undefined);
      }
    });
    connect.once('error', fail);
    connect.end();
    if (destroyedWith !== undefined) connect.destroy(destroyedWith);
  };
  requestTunnel().catch(fail);
  return {
    destroy(error) {
      destroyedWith = error;
      attempt?.destroy(error);
    },
  };
}

/** Is empty for an IP address, which TLS does not allow as a server name. */
export function proxyServerName({ origin }: Proxy): string {
  const { hostname } = new URL(origin);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : '';
}

/** Leaves out the client certificate, which identifies the client to the server alone. */
export function proxyTls({ ca }: TlsSettings = {}): object {
  return { ca };
}

function refusedError(provider: string, { origin }: Proxy, { statusCode = 0 }: IncomingMessage): KernelError {
  return new KernelError('PROVIDER_NETWORK', `${provider}: the proxy ${origin} answered ${statusCode}.`, {
    retryable: statusCode >= 500,
    hint: statusCode === 407 ? 'Put the user name and password of the proxy into its URL.' : undefined,
    data: { proxyStatus: statusCode },
  });
}

/** Has the same code as undici's own error. */
export function connectTimeoutError(): Error {
  return Object.assign(new Error('The connection took too long.'), { code: 'UND_ERR_CONNECT_TIMEOUT' });
}
