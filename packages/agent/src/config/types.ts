import type { JsonObject } from '@kernel/protocol';

/** A config file as plain data in our own names, every default filled in. */
export interface AgentConfig {
  readonly name: string;
  readonly systemPrompt?: string;
  readonly client: ClientConfig;
  readonly provider: ProviderChoice;
  readonly model: ModelConfig;
  /** Model calls of a run; 0 means no limit. */
  readonly maxIterations?: number;
  readonly memory?: MemoryConfig;
  /** Further agents by name, each a whole config. */
  readonly agents?: Readonly<Record<string, AgentConfig>>;
}

/** How to talk to the provider. A timeout of 0 turns that clock off. */
export interface ClientConfig {
  /** The longest wait for the first byte, and between two. */
  readonly timeoutMs: number;
  readonly retry: RetryConfig;
  readonly connectionPoolSize: number;
  readonly connectionTimeoutMs: number;
}

/** When and how often a request is tried again. */
export interface RetryConfig {
  /** 0 turns retries off. */
  readonly maxRetries: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly multiplier: number;
  readonly jitter: boolean;
}

/** Which provider, and what it needs to be told; the fields are those of `createProvider`. */
export interface ProviderChoice {
  readonly name: string;
  readonly baseUrl?: string;
  readonly token?: string;
  readonly auth?: 'bearer' | 'api_key' | 'none';
  readonly authHeader?: string;
  readonly authType?: 'api_key' | 'bearer' | 'managed_identity';
  readonly deployment?: string;
  readonly apiVersion?: string;
  /** Options of the file that have no field above, as they were written. */
  readonly options: JsonObject;
}

/** Which model, and its options per protocol (`chat`, `vision`, `tools`, `embeddings`, `audio`), as they were written. */
export interface ModelConfig {
  readonly name?: string;
  readonly capabilities: Readonly<Record<string, JsonObject>>;
}

/** Where a run keeps what it learns. */
export interface MemoryConfig {
  readonly path?: string;
}

/** What `fromConfig` returns. */
export interface ParsedConfig {
  readonly options: AgentConfig;
  /** Unknown keys and the like: sentences that name file and path. */
  readonly warnings: readonly string[];
}
