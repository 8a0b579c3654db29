import type { JsonObject } from '@kernel/protocol';

/** A config file as typed data, with all defaults. */
export interface AgentConfig {
  readonly name: string;
  readonly systemPrompt?: string;
  readonly client: ConnectionConfig;
  readonly provider: ProviderChoice;
  readonly model: ModelConfig;
  /** The most model calls of a run; 0 means no limit. */
  readonly maxIterations?: number;
  readonly memory?: MemoryConfig;
  /** More agents by name, each with a whole config. */
  readonly agents?: Readonly<Record<string, AgentConfig>>;
}

/** How to connect to the provider. A timeout of 0 is no timeout. */
export interface ConnectionConfig {
  /** The longest wait for the first byte, and between two bytes. */
  readonly timeoutMs: number;
  readonly retry: RetryConfig;
  readonly connectionPoolSize: number;
  readonly connectionTimeoutMs: number;
}

/** When and how often a failed request is retried. */
export interface RetryConfig {
  /** 0 means no retries. */
  readonly maxRetries: number;
  readonly initialBackoffMs: number;
  readonly maxBackoffMs: number;
  readonly multiplier: number;
  readonly jitter: boolean;
}

/** Which provider, with its settings; the fields are those of `createProvider`. */
export interface ProviderChoice {
  readonly name: string;
  readonly baseUrl?: string;
  readonly token?: string;
  readonly auth?: 'bearer' | 'api_key' | 'none';
  readonly authHeader?: string;
  readonly authType?: 'api_key' | 'bearer' | 'managed_identity';
  readonly deployment?: string;
  readonly apiVersion?: string;
  /** Options of the file that have no field above, unchanged. */
  readonly options: JsonObject;
}

/** Which model. */
export interface ModelConfig {
  readonly name?: string;
  /** Options by capability (`chat`, `vision`, `tools`, `embeddings`, `audio`), unchanged. */
  readonly capabilities: Readonly<Record<string, JsonObject>>;
}

/** Where a run stores its memory. */
export interface MemoryConfig {
  readonly path?: string;
}

/** The result of `fromConfig`. */
export interface ParsedConfig {
  readonly config: AgentConfig;
  /** Problems that are not errors, such as unknown keys: sentences with file and path. */
  readonly warnings: readonly string[];
}
