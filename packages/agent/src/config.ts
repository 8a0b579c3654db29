export { fromConfig } from './config/from-config.ts';
export type { ConfigSource } from './config/from-config.ts';
export { toConfig } from './config/to-config.ts';
export { formatDuration, parseDuration } from './config/duration.ts';
export type {
  AgentConfig,
  ClientConfig,
  MemoryConfig,
  ModelConfig,
  ParsedConfig,
  ProviderChoice,
  RetryConfig,
} from './config/agent-config.ts';
