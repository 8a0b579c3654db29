import { checkFunctions, type JsonObject, type JsonValue, type Provider } from '@kernel/protocol';
import type { RetryConfig } from './client-settings.ts';
import type { AgentConfig, AzureIdentity, ProviderChoice } from './types.ts';

/** What makes providers: the functions of `@kernel/providers`, which this package does not import. Pass the module itself. */
export interface ProviderFunctions {
  /** Creates a provider, for example `createProvider`, or `create` of a catalog with providers of your own. */
  createProvider(config: ProviderSettings): Provider;
  /** Wraps a provider, so that failed requests are retried. */
  withRetry(provider: Provider, retry: RetryConfig): Provider;
  /** Creates a token source for a managed identity of Azure. */
  azureToken(identity: AzureIdentity & { readonly identity: 'managed_identity' }): () => string | Promise<string>;
}

/** A config for `createProvider`. Fields that only some vendors have are in it if the file has them. */
export interface ProviderSettings {
  /** The name of the provider. */
  readonly name: string;
}

/** The settings of any vendor that a config file can have. */
export interface VendorSettings extends Omit<ProviderChoice, 'identity' | 'options' | 'token'> {
  /** The credential, or what fetches it. */
  readonly token?: string | (() => string | Promise<string>);
  /** In milliseconds. */
  readonly timeouts: {
    /** Until the connection is established: the config's `connectionTimeoutMs`. */
    readonly connectMs: number;
    /** Until the first byte of the response body: the config's `timeoutMs`. */
    readonly firstByteMs: number;
    /** Between two events of a stream: the config's `timeoutMs`. */
    readonly idleMs: number;
  };
  /** The size of the connection pool. */
  readonly connections: number;
}

/**
 * Converts the provider and client blocks of a config to a config for `createProvider`. Options of the file that are not known here become
 * fields in camel case, so that the provider takes them or refuses them by name.
 */
export function toProviderSettings(
  { client, provider }: AgentConfig,
  azureToken: ProviderFunctions['azureToken'],
): VendorSettings {
  const { identity, options, ...known } = provider;
  return {
    ...inCamelCase(options),
    ...known,
    ...(identity === undefined ? {} : { token: azureToken({ identity: 'managed_identity', ...identity }) }),
    timeouts: { connectMs: client.connectionTimeoutMs, firstByteMs: client.timeoutMs, idleMs: client.timeoutMs },
    connections: client.connectionPoolSize,
  };
}

/** Creates the provider of a config, with the retries that the config asks for. Throws `CONFIG_INVALID` for an option that it does not have. */
export function providerFromConfig(config: AgentConfig, providers: ProviderFunctions): Provider {
  const given: object = providers ?? {};
  for (const name of ['createProvider', 'withRetry', 'azureToken'])
    checkFunctions('providerFromConfig: the module @kernel/providers', { [name]: Reflect.get(given, name) ?? null });
  const settings = toProviderSettings(config, (identity) => providers.azureToken(identity));
  return providers.withRetry(providers.createProvider(settings), config.client.retry);
}

function inCamelCase(options: JsonObject): Readonly<Record<string, JsonValue>> {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
