import type { AgentConfig } from './types.ts';

/** The config of an empty file. Unlike `fromConfig`, it needs no zod. */
export const DEFAULT_CONFIG: AgentConfig = {
  name: 'default-agent',
  client: {
    timeoutMs: 120_000,
    retry: { maxRetries: 3, initialBackoffMs: 1000, maxBackoffMs: 30_000, multiplier: 2, jitter: true },
    connectionPoolSize: 10,
    connectionTimeoutMs: 30_000,
  },
  provider: { name: 'ollama', options: {} },
  model: { capabilities: {} },
};
