import type { ModelOptions } from '@kernel/protocol';
import { parseBaseUrl } from './base-url.ts';
import { checkConfig } from './check-config.ts';
import type { CommonConfig } from './common-config.ts';
import { createAuthorizer } from './credentials.ts';
import { NO_SERVER_TOOLS, resolveServerTools, type ServerToolConfig, type ServerTools } from './server-tools.ts';

export interface WireSettings {
  readonly name: string;
  readonly origin: string;
  /** Without a trailing slash. */
  readonly basePath: string;
  /** With its question mark, or empty. */
  readonly query: string;
  readonly serverTools: ServerTools;
  readonly options: ModelOptions;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

/** `basePath` is used where `baseUrl` has no path; `authHeader` is the vendor's header for a key. */
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
