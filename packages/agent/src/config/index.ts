export { fromConfig } from './from-config.ts';
export type { ConfigSource } from './from-config.ts';
export { toConfig } from './to-config.ts';
export { formatDuration, parseDuration } from './duration.ts';
export type {
  AgentConfig,
  ConnectionConfig,
  MemoryConfig,
  ModelConfig,
  ParsedConfig,
  ProviderChoice,
  RetryConfig,
} from './types.ts';
