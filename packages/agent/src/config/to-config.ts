import type { JsonObject } from '@kernel/protocol';
import { formatDuration } from './duration.ts';
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
    ...present('system_prompt', config.systemPrompt),
    client: {
      timeout: formatDuration(client.timeoutMs),
      retry: {
        max_retries: client.retry.maxRetries,
        initial_backoff: formatDuration(client.retry.initialBackoffMs),
        max_backoff: formatDuration(client.retry.maxBackoffMs),
        backoff_multiplier: client.retry.multiplier,
        jitter: client.retry.jitter,
      },
      connection_pool_size: client.connectionPoolSize,
      connection_timeout: formatDuration(client.connectionTimeoutMs),
    },
    provider: { name: provider.name, ...present('base_url', provider.baseUrl), options },
    model: { ...present('name', model.name), capabilities: model.capabilities, ...pricesOf(model) },
    ...present('max_iterations', config.maxIterations),
    ...(config.memory === undefined ? {} : { memory: { ...config.memory } }),
    ...(config.agents === undefined
      ? {}
      : { agents: Object.fromEntries(Object.entries(config.agents).map(([name, agent]) => [name, toConfig(agent)])) }),
  };
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
