import type { Provider } from '@kernel/protocol';
import { createClient } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { streamOf } from '../wire/wire.ts';
import { createGeminiDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createGeminiEncoder } from './encode.ts';
import { resolveGemini } from './config.ts';

/** Creates a provider over Gemini's generateContent wire. Never retries; nothing is sent before a stream is read. */
export function geminiProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined },
): Provider {
  const named: ProviderConfig = { ...config, name: config.name ?? 'gemini' };
  const settings = resolveGemini(named);
  const client = createClient(named, settings.origin, settings.authorize);
  const wire = { name: settings.name, client, encode: createGeminiEncoder(settings), decode: createGeminiDecoder };
  return {
    name: settings.name,
    stream: streamOf(wire),
    embed: (request) => embed(client, settings, request),
  };
}
