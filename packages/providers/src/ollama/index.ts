import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { OllamaConfig } from './config.ts';
import { ollamaWire } from './wire.ts';

export type { OllamaConfig, OllamaOptions } from './config.ts';

/**
 * Creates a provider over Ollama's own chat API.
 *
 * @example
 * ```ts
 * import { ollamaProvider } from '@kernel/providers/ollama';
 *
 * const provider = ollamaProvider();
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'qwen3', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function ollamaProvider(config: UnnamedConfig<OllamaConfig> = {}): Provider {
  return wireProvider(ollamaWire, { ...config, name: config.name ?? 'ollama' });
}
