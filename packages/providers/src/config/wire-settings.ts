import type { ModelOptions } from '@kernel/protocol';
import { parseBaseUrl } from './base-url.ts';
import { checkConfig, configKeys } from './check-config.ts';
import type { CommonConfig } from './common-config.ts';
import { createAuthorizer } from './credentials.ts';
import { resolveServerTools, type ServerToolConfig, type ServerTools } from './server-tools.ts';

/** A config, under any name, for an API that has tools of its own. */
export interface ServerToolsConfig extends CommonConfig {
  readonly serverTools?: readonly ServerToolConfig[] | undefined;
}

const KEYS = configKeys({ serverTools: true });

export interface WireSettings {
  readonly name: string;
  readonly origin: string;
  /** Has no trailing slash. */
  readonly basePath: string;
  /** Begins with a question mark, unless it is empty. */
  readonly query: string;
  readonly serverTools: ServerTools;
  readonly options: ModelOptions;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

/** `basePath` is used where `baseUrl` has no path; `authHeader` is the vendor's header for a key. */
export function resolveWireSettings(
  config: ServerToolsConfig,
  defaults: {
    readonly baseUrl: string;
    readonly basePath: string;
    readonly authHeader?: string;
    readonly keys?: ReadonlySet<string>;
  },
): WireSettings {
  checkConfig(config, defaults.keys ?? KEYS);
  const base = parseBaseUrl(config.name, config.baseUrl ?? defaults.baseUrl);
  return {
    name: config.name,
    origin: base.origin,
    basePath: base.path === '' ? defaults.basePath : base.path,
    query: base.query,
    serverTools: resolveServerTools(config.name, config.serverTools),
    options: config.options ?? {},
    authorize: createAuthorizer(config, defaults.authHeader),
  };
}
