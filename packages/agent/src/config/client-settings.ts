import { defaultsOf, type Settings } from './settings.ts';

/** How to connect to the provider. A timeout of 0 is no timeout. */
export interface ConnectionConfig {
  /** The longest wait for the first byte, and between two bytes. */
  readonly timeoutMs: number;
  /** When a failed request is retried. */
  readonly retry: RetryConfig;
  /** The size of the connection pool. Default 10. */
  readonly connectionPoolSize: number;
  /** How long connecting may take. Default 30,000. */
  readonly connectionTimeoutMs: number;
}

/** When and how often a failed request is retried. */
export interface RetryConfig {
  /** 0 means no retries. */
  readonly maxRetries: number;
  /** The delay before the first retry. Default 1000. */
  readonly initialBackoffMs: number;
  /** The longest delay. Default 30,000. */
  readonly maxBackoffMs: number;
  /** By how much each delay is longer than the one before. Default 2. */
  readonly multiplier: number;
  /** Whether delays are randomized. Default true. */
  readonly jitter: boolean;
}

const RETRY: Settings<RetryConfig> = {
  maxRetries: { key: 'max_retries', is: 'whole from 0', default: 3 },
  initialBackoffMs: { key: 'initial_backoff', is: 'duration', default: 1000 },
  maxBackoffMs: { key: 'max_backoff', is: 'duration', default: 30_000 },
  multiplier: { key: 'backoff_multiplier', is: 'number from 1', default: 2 },
  jitter: { key: 'jitter', is: 'true or false', default: true },
};

/** The block `client` of a file. */
export const CLIENT_SETTINGS: Settings<ConnectionConfig> = {
  timeoutMs: { key: 'timeout', is: 'duration', default: 120_000 },
  retry: { key: 'retry', is: RETRY, default: defaultsOf(RETRY) },
  connectionPoolSize: { key: 'connection_pool_size', is: 'whole from 1', default: 10 },
  connectionTimeoutMs: { key: 'connection_timeout', is: 'duration', default: 30_000 },
};
