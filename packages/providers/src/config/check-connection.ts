import { checkFunctions, checkKeys, optionKeys, sameHint } from '@kernel/protocol';
import type { ConnectionSettings, TlsSettings } from '../http/connection-settings.ts';
import { readProxyCredential } from '../http/proxy-credential.ts';
import { configError } from './config-error.ts';

const NEVER_OFF = 'It is always checked: trust a certificate of your own with tls: { ca }.';

const TLS_KEYS = optionKeys<TlsSettings>(
  { ca: true, cert: true, key: true, passphrase: true, servername: true },
  {
    ...sameHint(['rejectUnauthorized', 'insecure', 'strictSSL', 'checkServerIdentity'], NEVER_OFF),
    ...sameHint(['pfx'], 'Use cert and key.'),
  },
);

/** What of a config says how requests are sent. */
interface ConnectionConfig extends ConnectionSettings {
  readonly name: string;
  readonly fetch?: unknown;
}

/** Throws `CONFIG_INVALID` for settings of the connection that are wrong or exclude each other. No message holds the credential of a proxy. @internal */
export function checkConnection({ fetch, name, proxy, socketPath, tls }: ConnectionConfig): void {
  checkFunctions(name, { fetch });
  if (tls !== undefined) checkKeys(name, tls, TLS_KEYS, 'tls.');
  if (proxy !== undefined && proxy !== false) checkProxy(name, proxy);
  if (socketPath !== undefined && (typeof socketPath !== 'string' || socketPath === '')) {
    throw configError(name, 'socketPath is not a path.', 'Set it to the path of a Unix socket, or leave it out.');
  }
  const given = Object.entries({ proxy: proxy === false ? undefined : proxy, tls, socketPath });
  const [used] = given.find(([, value]) => value !== undefined) ?? [];
  if (fetch !== undefined && used !== undefined) {
    throw configError(
      name,
      `${used} has no effect with fetch.`,
      'Give fetch what it needs itself, or leave fetch out.',
    );
  }
  if (socketPath !== undefined && typeof proxy === 'string') {
    throw configError(name, 'socketPath and proxy exclude each other.', 'Leave one of them out.');
  }
}

/** An error says no more of the URL than its scheme and its host: it may hold a password. */
function checkProxy(name: string, proxy: unknown): void {
  const hint = 'Write it like http://host:3128 or http://user:password@host:3128, or false for none.';
  const url = typeof proxy === 'string' ? URL.parse(proxy) : null;
  if (url === null) throw configError(name, 'proxy is not a URL.', hint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw configError(name, `proxy has the scheme "${url.protocol}", not http or https.`, hint);
  }
  if (url.pathname !== '/' || url.search !== '') throw configError(name, 'proxy has a path.', hint);
  readProxyCredential(name, url);
}
