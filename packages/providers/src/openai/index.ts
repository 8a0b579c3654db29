import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { ChatConfig } from './config.ts';
import { chatWire } from './wire.ts';

export type { ChatOptions } from './chat-options.ts';
export type { ChatConfig } from './config.ts';
export type { ChatQuirks } from './quirks.ts';

/**
 * Creates a provider over the chat-completions wire: OpenAI by default, any server that speaks it with `name` and `baseUrl`. Throws
 * `CONFIG_INVALID` at once for a bad config.
 *
 * @example
 * ```ts
 * import { openaiProvider } from '@kernel/providers/openai';
 *
 * const provider = openaiProvider({ token: process.env['OPENAI_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'gpt-5.1', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function openaiProvider(config: UnnamedConfig<ChatConfig>): Provider {
  return wireProvider(chatWire, { ...config, name: config.name ?? 'openai' });
}
