/** A PEM text or the bytes of a file, or several. */
export type Certificates = string | Uint8Array | readonly (string | Uint8Array)[];

/** Whom a provider trusts, and as whom it connects, over TLS. The certificate of the server is always checked. */
export interface TlsSettings {
  /** The authorities to trust, in place of those of Node. */
  readonly ca?: Certificates | undefined;
  /** The certificate to present to a server that asks for one. */
  readonly cert?: Certificates | undefined;
  /** The private key of `cert`. */
  readonly key?: string | Uint8Array | undefined;
  /** What `key` is encrypted with. */
  readonly passphrase?: string | undefined;
  /** The name to ask for and to check, where it is not the host of `baseUrl`. */
  readonly servername?: string | undefined;
}

/** How a provider reaches its server. Of Node's own client: with `fetch`, and where it is the transport, each of them is an error. */
export interface ConnectionSettings {
  /**
   * The proxy, as `http://host:port` or `https://host:port`, with user name and password if it asks for them; `false` for none. Default: what
   * the environment says.
   *
   * That is `https_proxy` or `http_proxy`, whichever has the scheme of `baseUrl`, or the same in capitals, unless `no_proxy` names the host. No proxy
   * of the environment is used for this machine itself. It is read at the first request.
   */
  readonly proxy?: string | false | undefined;
  /** Certificates. For a proxy with `https://` they hold as well. */
  readonly tls?: TlsSettings | undefined;
  /** The Unix socket or named pipe of a server on this machine; `baseUrl` still says scheme, `Host` and path. Without a proxy. */
  readonly socketPath?: string | undefined;
}
