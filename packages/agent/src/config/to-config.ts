import type { JsonObject, JsonValue } from '@kernel/protocol';
import { CLIENT_SETTINGS } from './client-settings.ts';
import { formatDuration } from './duration.ts';
import { RUN_SETTINGS } from './run-settings.ts';
import type { SettingTable } from './settings.ts';
import type { AgentConfig, ModelConfig, ProviderChoice } from './types.ts';

/** Converts a config back to the JSON that `fromConfig` reads. Durations become text. Tokens and keys are included. */
export function toConfig(config: AgentConfig): JsonObject {
  const { client, provider, model } = config;
  const options: JsonObject = {
    ...provider.options,
    ...present('token', provider.token),
    ...present('auth_type', provider.authType ?? provider.auth ?? awsAuthType(provider)),
    ...present('auth_header', provider.authHeader),
    ...present('deployment', provider.deployment),
    ...present('api_version', provider.apiVersion),
    ...present('resource', provider.identity?.scope),
    ...present('client_id', provider.identity?.clientId),
    ...present('region', provider.region),
    ...present('profile', provider.profile),
    ...present('access_key_id', provider.credentials?.accessKeyId),
    ...present('secret_access_key', provider.credentials?.secretAccessKey),
    ...present('session_token', provider.credentials?.sessionToken),
  };
  return {
    name: config.name,
    ...toJson(RUN_SETTINGS, config),
    client: toJson(CLIENT_SETTINGS, client),
    provider: { name: provider.name, ...present('base_url', provider.baseUrl), options },
    model: {
      ...present('name', model.name),
      capabilities: model.capabilities,
      ...pricesOf(model),
      ...present('context_tokens', model.contextTokens),
    },
    ...(config.agents === undefined
      ? {}
      : { agents: Object.fromEntries(Object.entries(config.agents).map(([name, agent]) => [name, toConfig(agent)])) }),
  };
}

/** A block as a file has it. */
function toJson(settings: SettingTable, values: object): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([field, { key, is }]): readonly (readonly [string, JsonValue])[] => {
      const value: unknown = Reflect.get(values, field);
      if (typeof is === 'object') return typeof value === 'object' && value !== null ? [[key, toJson(is, value)]] : [];
      if (typeof value === 'number') return [[key, is === 'duration' ? formatDuration(value) : value]];
      return typeof value === 'string' || typeof value === 'boolean' ? [[key, value]] : [];
    }),
  );
}

function pricesOf({ prices }: ModelConfig): JsonObject {
  if (prices === undefined) return {};
  const { input, output, cachedInput, cacheWrite } = prices;
  return {
    prices: { input, output, ...present('cached_input', cachedInput), ...present('cache_write', cacheWrite) },
  };
}

function awsAuthType({ credentials, profile }: ProviderChoice): string | undefined {
  if (credentials !== undefined) return 'static';
  return profile === undefined ? undefined : 'profile';
}

function present(key: string, value: string | number | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
