import { KernelError } from '@kernel/protocol';

/** Certificates: PEM text or the bytes of a file, or several of them. */
export type Certificates = string | Uint8Array | readonly (string | Uint8Array)[];

/** Certificates and names for TLS. The certificate of the server is always checked. */
export interface TlsSettings {
  /** The certificate authorities to trust, in place of those of Node. */
  readonly ca?: Certificates | undefined;
  /** The client certificate, for servers that ask for one. Never sent to a proxy. */
  readonly cert?: Certificates | undefined;
  /** The private key of `cert`. */
  readonly key?: string | Uint8Array | undefined;
  /** The passphrase of `key`, if it is encrypted. */
  readonly passphrase?: string | undefined;
  /** The server name to send (SNI) and to check. Default: the host of `baseUrl`. */
  readonly servername?: string | undefined;
}

/** How a provider reaches its server on Node. With `fetch` in the config, or on a runtime whose transport is `fetch`, each of these is `CONFIG_INVALID`. */
export interface ConnectionSettings {
  /**
   * The URL of the proxy, `http://host:port` or `https://host:port`, with user name and password if it needs them; `false` for none. Default:
   * the proxy of the environment.
   *
   * That is `https_proxy` or `http_proxy`, by the scheme of `baseUrl`, or the same in capitals, unless `no_proxy` lists the host. It is never used
   * for a loopback address. The environment is read at the first request.
   */
  readonly proxy?: string | false | undefined;
  /** Certificates for TLS. `ca` applies to a proxy with `https://` too. */
  readonly tls?: TlsSettings | undefined;
  /** The path of the server's Unix socket or named pipe. `baseUrl` still gives the scheme, `Host` and the path of requests. Not together with a proxy. */
  readonly socketPath?: string | undefined;
}

export function nodeOnlySetting({ proxy, socketPath, tls }: ConnectionSettings): keyof ConnectionSettings | undefined {
  if (proxy !== undefined && proxy !== false) return 'proxy';
  if (tls !== undefined) return 'tls';
  return socketPath === undefined ? undefined : 'socketPath';
}

export function readProxyCredential(provider: string, { origin, password, username }: URL) {
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    throw new KernelError(
      'CONFIG_INVALID',
      `${provider}: the user name or password of the proxy ${origin} has a percent sign that encodes nothing.`,
      { hint: 'Write a percent sign of a user name or password as %25.' },
    );
  }
}
