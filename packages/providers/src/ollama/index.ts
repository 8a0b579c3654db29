import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { OllamaConfig } from './config.ts';
import { ollamaWire } from './wire.ts';

export type { OllamaConfig, OllamaOptions } from './config.ts';

/** Creates a provider over Ollama's own chat API. */
export function ollamaProvider(config: UnnamedConfig<OllamaConfig> = {}): Provider {
  return wireProvider(ollamaWire, { ...config, name: config.name ?? 'ollama' });
}
