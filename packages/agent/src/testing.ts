import type { Provider } from '@kernel/protocol';
import type { Agent, AgentOptions } from './client/types.ts';
import { createAgent } from './client/model-client.ts';

/** Wraps a mock provider in an agent, as seed 000's mock package does: `mockAgent(chatProvider('Hi'))` with `@kernel/testing`. */
export function mockAgent(provider: Provider, options: Partial<Omit<AgentOptions, 'provider'>> = {}): Agent {
  return createAgent({ name: 'mock-agent', model: 'mock-model', ...options, provider });
}
