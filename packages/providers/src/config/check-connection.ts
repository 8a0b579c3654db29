import { checkFunctions, checkKeys, optionKeys } from '@kernel/protocol';
import {
  type ConnectionSettings,
  nodeOnlySetting,
  type TlsSettings,
  readProxyCredential,
} from '../http/connection-settings.ts';
import { hasScheme } from './base-url.ts';
import { configError } from './config-error.ts';

const TLS_KEYS = optionKeys<TlsSettings>({ ca: true, cert: true, key: true, passphrase: true, servername: true });

/** No message contains the credential of a proxy. */
export function checkConnection(
  config: ConnectionSettings & { readonly name: string; readonly fetch?: unknown },
): void {
  const { fetch, name, proxy, socketPath, tls } = config;
  checkFunctions(name, { fetch });
  if (tls !== undefined) checkKeys(name, tls, TLS_KEYS, 'tls.');
  if (proxy !== undefined && proxy !== false) checkProxy(name, proxy);
  if (socketPath !== undefined && (typeof socketPath !== 'string' || socketPath === '')) {
    throw configError(name, 'socketPath is not a path.', 'Set it to the path of a Unix socket, or leave it out.');
  }
  const used = nodeOnlySetting(config);
  if (fetch !== undefined && used !== undefined) {
    throw configError(
      name,
      `${used} has no effect with fetch.`,
      `Configure ${used} in your fetch, or leave fetch out.`,
    );
  }
  if (socketPath !== undefined && typeof proxy === 'string') {
    throw configError(name, 'socketPath and proxy exclude each other.', 'Leave one of them out.');
  }
}

/** Errors quote the scheme and the host only, since the rest may contain a password. */
function checkProxy(name: string, proxy: unknown): void {
  const hint = 'Write it like http://host:3128 or http://user:password@host:3128, or false for none.';
  const url = typeof proxy === 'string' ? URL.parse(proxy) : null;
  if (url === null) throw configError(name, 'proxy is not a URL.', hint);
  if (!hasScheme(String(proxy), url)) throw configError(name, 'proxy does not begin with http:// or https://.', hint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw configError(name, `proxy has the scheme "${url.protocol}", not http or https.`, hint);
  }
  if (url.pathname !== '/' || url.search !== '') throw configError(name, 'proxy has a path.', hint);
  readProxyCredential(name, url);
}
