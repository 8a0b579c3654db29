import type { ModelOptions } from '@kernel/protocol';
import type { ConnectionSettings } from '../http/connection-settings.ts';
import type { ResponseLimits } from '../http/limits.ts';
import type { Timeouts } from '../http/timeouts.ts';

/** A credential, or a function that fetches one: called at the first request, and again after a 401. */
export type TokenSource = string | (() => string | Promise<string>);

/** What every provider can be configured with. */
export interface CommonConfig extends ConnectionSettings {
  /** The provider's name, in errors and in the `provider` field of its messages. */
  readonly name: string;
  /** The address of the API, as its users write it: `http://127.0.0.1:11434` for Ollama, `…/v1` for OpenAI-compatible servers. */
  readonly baseUrl?: string | undefined;
  /** The credential. Absent: none is sent. */
  readonly token?: TokenSource | undefined;
  /** How the token is sent. Default `bearer`, or the vendor's own header; `api_key` sends it without a scheme in `authHeader`. */
  readonly auth?: 'bearer' | 'api_key' | 'none' | undefined;
  /** The header for `api_key`. Default `X-API-Key`. */
  readonly authHeader?: string | undefined;
  /** Additional headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The timeouts of each request. */
  readonly timeouts?: Timeouts | undefined;
  /** The size limits of each response. */
  readonly limits?: ResponseLimits | undefined;
  /** The maximum number of open connections. Default 10. */
  readonly connections?: number | undefined;
  /**
   * Sends the requests: any standard `fetch`. Default: undici's client on Node; the global `fetch` in browsers, Workers, Deno and Bun.
   *
   * A `fetch` does not report when it is connected, so connecting counts as waiting for the first byte (`timeouts.firstByteMs`), and
   * `timeouts.connectMs` applies only to fetching a token. It must decode the body and must not follow redirects. `connections` limits the requests
   * in progress.
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Default model options; a request overrides them key by key. */
  readonly options?: ModelOptions | undefined;
}

/** A vendor's config for its own factory, where the name is optional and may be anything. */
export type UnnamedConfig<Config extends CommonConfig> = Omit<Config, 'name'> & {
  /** The provider's name, in errors and in the `provider` field of its messages. Default: the vendor's. */
  readonly name?: string | undefined;
};
