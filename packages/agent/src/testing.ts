import type { Provider } from '@kernel/protocol';
import { createModelClient } from './client/model-client.ts';
import type { ModelClient, ModelClientOptions } from './client/types.ts';

/**
 * Wraps a mock provider in a model client: `mockModelClient(chatProvider('Hi'))` with `@kernel/testing`.
 *
 * @example
 * ```ts
 * import { mockModelClient } from '@kernel/agent/testing';
 * import { scriptedProvider } from '@kernel/testing';
 *
 * const client = mockModelClient(scriptedProvider([{ text: 'Hello' }]));
 * const { text } = await client.chat('Hi');
 * ```
 */
export function mockModelClient(
  provider: Provider,
  options: Partial<Omit<ModelClientOptions, 'provider'>> = {},
): ModelClient {
  return createModelClient({ name: 'mock-agent', model: 'mock-model', ...options, provider });
}
