import type { JsonObject } from '@kernel/protocol';
import type { ModelCapability } from '../client/types.ts';
import type { ConnectionConfig } from './client-settings.ts';
import { RUN_SETTINGS, type RunSettings } from './run-settings.ts';

/** A config file as typed data, with all defaults. */
export interface AgentConfig extends RunSettings {
  /** Default `default-agent`. */
  readonly name: string;
  /** How to connect to the provider. */
  readonly client: ConnectionConfig;
  /** Which provider. Default `ollama`. */
  readonly provider: ProviderChoice;
  /** Which model. */
  readonly model: ModelConfig;
  /** More agents by name, each with a whole config. */
  readonly agents?: Readonly<Record<string, AgentConfig>>;
}

/** Which provider, with its settings; the fields are those of `createProvider`. */
export interface ProviderChoice {
  /** The name of the provider. */
  readonly name: string;
  /** The address of its API. */
  readonly baseUrl?: string;
  /** The API key or token. */
  readonly token?: string;
  /** How the token is sent; not for Azure. */
  readonly auth?: 'bearer' | 'api_key' | 'none';
  /** The header that carries the token. */
  readonly authHeader?: string;
  /** How Azure authenticates. */
  readonly authType?: 'api_key' | 'bearer' | 'managed_identity';
  /** The deployment on Azure. */
  readonly deployment?: string;
  /** The API version of Azure. */
  readonly apiVersion?: string;
  /** The managed identity that Azure authenticates with; the system-assigned one if it is empty. */
  readonly identity?: AzureIdentity;
  /** The AWS region. */
  readonly region?: string;
  /** The keys that AWS requests are signed with. */
  readonly credentials?: AwsKeys;
  /** A named profile of the shared AWS configuration. */
  readonly profile?: string;
  /** Options of the file that have no field above, unchanged. */
  readonly options: JsonObject;
}

/** A managed identity of Azure. */
export interface AzureIdentity {
  /** The client id of a user-assigned identity. */
  readonly clientId?: string;
  /** The scope of its tokens. */
  readonly scope?: string;
}

/** Keys that AWS requests are signed with. */
export interface AwsKeys {
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret access key. */
  readonly secretAccessKey: string;
  /** The token of temporary keys. */
  readonly sessionToken?: string;
}

/** What a model can be asked for: the keys of `model.capabilities`. */
export const CAPABILITIES = [
  'chat',
  'vision',
  'tools',
  'embeddings',
  'audio',
] as const satisfies readonly ModelCapability[];

/** Which model. */
export interface ModelConfig {
  /** The name of the model. */
  readonly name?: string;
  /** Options by capability, unchanged. */
  readonly capabilities: Readonly<Partial<Record<ModelCapability, JsonObject>>>;
  /** What it costs. Without it no cost is known. */
  readonly prices?: TokenPrices;
  /** How many tokens it reads at most in one request. An editor shows how much of that is used. */
  readonly contextTokens?: number;
}

/** What a million tokens cost, in any one currency. */
export interface TokenPrices {
  /** Of input. */
  readonly input: number;
  /** Of output, reasoning included. */
  readonly output: number;
  /** Of input that was read from the vendor's cache. Default: `input`. */
  readonly cachedInput?: number;
  /** Of input that was written to the vendor's cache. Default: `input`. */
  readonly cacheWrite?: number;
}

/** The top-level keys of a config file; a test compares them with the schema. Any file of this program has at least one of them; `name` is too common to count. */
export const CONFIG_KEYS: readonly string[] = [
  'agent',
  'agents',
  'client',
  'provider',
  'model',
  ...Object.values(RUN_SETTINGS).map(({ key }) => key),
];

/** The result of `fromConfig`. */
export interface ParsedConfig {
  /** The config with all defaults. */
  readonly config: AgentConfig;
  /** Problems that are not errors, such as unknown keys: sentences with file and path. */
  readonly warnings: readonly string[];
}
