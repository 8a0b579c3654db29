import type { AnthropicConfig } from '../anthropic/config.ts';
import type { BedrockConfig } from '../bedrock/config.ts';
import type { GeminiConfig } from '../gemini/config.ts';
import type { OllamaConfig } from '../ollama/config.ts';
import type { AzureConfig } from '../openai/azure-config.ts';
import type { ChatConfig } from '../openai/config.ts';
import type { ResponsesConfig } from '../responses/config.ts';
import type { CommonConfig } from './common-config.ts';

/** The config of a built-in provider: `name` chooses the vendor, and with it the fields and the model options that it takes. */
export type ProviderConfig =
  | ChatConfig
  | AzureConfig
  | ResponsesConfig
  | AnthropicConfig
  | GeminiConfig
  | OllamaConfig
  | BedrockConfig;

/** The name of a built-in provider. */
export type ProviderName = ProviderConfig['name'];

/**
 * A config whose name is known only at run time, or is that of a factory of your own: what `ProviderCatalog.create` takes. A vendor's
 * required settings are then checked at run time.
 */
export interface CustomProviderConfig extends CommonConfig {
  /** A built-in name, or a key of the factories given to `createProviders`. */
  readonly name: ProviderName | (string & {});
  /** A field of the vendor's or of the factory's own. */
  readonly [field: string]: unknown;
}
