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
 */
export function openaiProvider(config: UnnamedConfig<ChatConfig>): Provider {
  return wireProvider(chatWire, { ...config, name: config.name ?? 'openai' });
}
