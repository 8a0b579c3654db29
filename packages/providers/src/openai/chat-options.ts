import type { ModelOptions } from '@kernel/protocol';

/** Model options of chat completions. */
export interface ChatOptions extends ModelOptions {
  /** How verbose the reply is. */
  readonly verbosity?: 'low' | 'medium' | 'high' | null | undefined;
  /** Lowers the probability of tokens by how often they already occurred. */
  readonly frequency_penalty?: number | null | undefined;
  /** Lowers the probability of tokens that already occurred. */
  readonly presence_penalty?: number | null | undefined;
  /** Which processing tier serves the request. */
  readonly service_tier?: 'auto' | 'default' | 'flex' | 'priority' | (string & {}) | null | undefined;
}
