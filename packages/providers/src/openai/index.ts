import type { Message, Provider } from '@kernel/protocol';
import { createClient } from '../client.ts';
import type { ProviderConfig } from '../config.ts';
import { createWireStream } from '../transport/wire-stream.ts';
import { createChatDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createChatEncoder } from './encode.ts';
import { resolveChat } from './settings.ts';
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
  const encode = createChatEncoder(settings);
  return {
    name: settings.name,
    stream(request) {
      return createWireStream(client.caller, client.redactor, request.signal, () => {
        const { body, streams, warnings } = encode(request);
        return {
          call: {
            path: settings.path('chat/completions', request.model),
            contentType: 'application/json',
            accept: streams ? 'text/event-stream' : 'application/json',
            body,
          },
          decoder: (emit) =>
            createChatDecoder({
              name: settings.name,
              model: request.model,
              redactor: client.redactor,
              warnings,
              emit,
              usedIds: () => callIdsOf(request.messages),
            }),
        };
      });
    },
    embed: (request) => embed(client, settings, request),
    transcribe: (request) => transcribe(client, settings, request),
  };
}

function callIdsOf(messages: readonly Message[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const part of message.content) if (part.type === 'tool-call') ids.add(part.id);
  }
  return ids;
}
