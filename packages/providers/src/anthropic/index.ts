import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { AnthropicConfig } from './config.ts';
import { anthropicWire } from './wire.ts';

export type { AnthropicConfig, AnthropicOptions } from './config.ts';

/** Creates a provider over Anthropic's Messages API. */
export function anthropicProvider(config: UnnamedConfig<AnthropicConfig>): Provider {
  return wireProvider(anthropicWire, { ...config, name: config.name ?? 'anthropic' });
}
