export { DEFAULT_CONFIG } from './default-config.ts';
export { fromConfig } from './from-config.ts';
export type { ConfigSource } from './from-config.ts';
export { isConfig } from './is-config.ts';
export { toConfig } from './to-config.ts';
export { clientFromConfig, clientsFromConfig } from './client-from-config.ts';
export { extractToolChoice } from './tool-choice.ts';
export type { ExtractedToolChoice } from './tool-choice.ts';
export type { ConfiguredClientOptions } from './client-from-config.ts';
export { providerFromConfig, toProviderSettings } from './provider-from-config.ts';
export type { ProviderFunctions, ProviderSettings, VendorSettings } from './provider-from-config.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { CONFIG_KEYS } from './types.ts';
export type { ConnectionConfig, RetryConfig } from './client-settings.ts';
export type { MemoryConfig, RunSettings } from './run-settings.ts';
export type {
  AgentConfig,
  AwsKeys,
  AzureIdentity,
  ModelConfig,
  ParsedConfig,
  ProviderChoice,
  TokenPrices,
} from './types.ts';
