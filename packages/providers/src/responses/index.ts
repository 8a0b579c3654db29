import type { Provider } from '@kernel/protocol';
import { createClient } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { streamOf } from '../wire/wire.ts';
import { createResponsesDecoder } from './decode.ts';
import { createResponsesEncoder } from './encode.ts';
import { resolveResponses } from './config.ts';

/** Creates a provider over OpenAI's Responses wire. Nothing is stored at the vendor unless `options.store` says so. Never retries. */
export function responsesProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined },
): Provider {
  const named: ProviderConfig = { ...config, name: config.name ?? 'openai-responses' };
  const settings = resolveResponses(named);
  const client = createClient(named, settings.origin, settings.authorize);
  const wire = {
    name: settings.name,
    client,
    encode: createResponsesEncoder(settings),
    decode: createResponsesDecoder,
  };
  return { name: settings.name, stream: streamOf(wire) };
}
