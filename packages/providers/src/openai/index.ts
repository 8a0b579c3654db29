import type { Provider } from '@kernel/protocol';
import { createClient } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { streamOf, type Wire } from '../wire/wire.ts';
import { createChatDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createChatEncoder } from './encode.ts';
import { resolveChat } from './config.ts';
import { transcribe } from './transcribe.ts';

/**
 * Creates a provider over the chat-completions wire: OpenAI by default, any server that speaks it with `name` and `baseUrl`.
 * Never retries. Throws `CONFIG_INVALID` at once for a bad config; nothing is sent before a stream is read.
 */
export function openaiProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined },
): Provider {
  const named: ProviderConfig = { ...config, name: config.name ?? 'openai' };
  const { authorize, settings } = resolveChat(named);
  const client = createClient(named, settings.origin, authorize);
  const wire: Wire = {
    name: settings.name,
    client,
    encode: createChatEncoder(settings),
    decode: createChatDecoder,
  };
  return {
    name: settings.name,
    stream: streamOf(wire),
    embed: (request) => embed(client, settings, request),
    transcribe: (request) => transcribe(client, settings, request),
  };
}
