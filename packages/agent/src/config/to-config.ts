import type { JsonObject } from '@kernel/protocol';
import { formatDuration } from './duration.ts';
import type { AgentConfig } from './types.ts';

/** Converts a config back to the JSON that `fromConfig` reads. Durations become text. A token is included. */
export function toConfig(config: AgentConfig): JsonObject {
  const { client, provider, model } = config;
  const options: JsonObject = {
    ...provider.options,
    ...present('token', provider.token),
    ...present('auth_type', provider.authType ?? provider.auth),
    ...present('auth_header', provider.authHeader),
    ...present('deployment', provider.deployment),
    ...present('api_version', provider.apiVersion),
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
    model: { ...present('name', model.name), capabilities: model.capabilities },
    ...present('max_iterations', config.maxIterations),
    ...(config.memory === undefined ? {} : { memory: { ...config.memory } }),
    ...(config.agents === undefined
      ? {}
      : { agents: Object.fromEntries(Object.entries(config.agents).map(([name, agent]) => [name, toConfig(agent)])) }),
  };
}

function present(key: string, value: string | number | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}
