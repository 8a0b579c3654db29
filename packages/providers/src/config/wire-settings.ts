import type { ModelOptions } from '@kernel/protocol';
import { parseBaseUrl } from './base-url.ts';
import { checkConfig } from './check-config.ts';
import type { CommonConfig } from './common-config.ts';
import { createAuthorizer } from './credentials.ts';
import { NO_SERVER_TOOLS, resolveServerTools, type ServerToolConfig, type ServerTools } from './server-tools.ts';

/** Where a wire's requests go, and how they are authorized. @internal */
export interface WireSettings {
  /** The provider's name. */
  readonly name: string;
  /** Scheme, host and port of the API. */
  readonly origin: string;
  /** The path of the API, without a trailing slash. */
  readonly basePath: string;
  /** The query of `baseUrl` with its question mark, or empty. */
  readonly query: string;
  /** The vendor's own tools. */
  readonly serverTools: ServerTools;
  /** Default model options. */
  readonly options: ModelOptions;
  /** Returns the header that carries a token. */
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

/** Resolves a config with a vendor's defaults: `basePath` is used where `baseUrl` has no path, `authHeader` is the vendor's header for a key. @internal */
export function resolveWireSettings(
  config: CommonConfig,
  defaults: {
    readonly baseUrl: string;
    readonly basePath: string;
    readonly authHeader?: string;
    readonly keys?: ReadonlySet<string>;
    readonly serverTools?: readonly ServerToolConfig[] | undefined;
  },
): WireSettings {
  checkConfig(config, defaults.keys);
  const base = parseBaseUrl(config.name, config.baseUrl ?? defaults.baseUrl);
  return {
    name: config.name,
    origin: base.origin,
    basePath: base.path === '' ? defaults.basePath : base.path,
    query: base.query,
    serverTools:
      defaults.serverTools === undefined ? NO_SERVER_TOOLS : resolveServerTools(config.name, defaults.serverTools),
    options: config.options ?? {},
    authorize: createAuthorizer(config, defaults.authHeader),
  };
}
