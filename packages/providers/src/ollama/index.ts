import type { Provider } from '@kernel/protocol';
import { createClient } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { streamOf } from '../wire/wire.ts';
import { createOllamaDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createOllamaEncoder } from './encode.ts';
import { resolveOllama } from './config.ts';

/** Creates a provider over Ollama's own chat API. Never retries; nothing is sent before a stream is read. */
export function ollamaProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined } = {},
): Provider {
  const named: ProviderConfig = { ...config, name: config.name ?? 'ollama' };
  const settings = resolveOllama(named);
  const client = createClient(named, settings.origin, settings.authorize);
  const wire = { name: settings.name, client, encode: createOllamaEncoder(settings), decode: createOllamaDecoder };
  return {
    name: settings.name,
    stream: streamOf(wire),
    embed: (request) => embed(client, settings, request),
  };
}
