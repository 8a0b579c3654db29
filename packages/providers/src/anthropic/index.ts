import type { Provider } from '@kernel/protocol';
import { createClient } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { streamOf } from '../wire/wire.ts';
import { createAnthropicDecoder } from './decode.ts';
import { createAnthropicEncoder } from './encode.ts';
import { resolveAnthropic } from './config.ts';

const VERSION = '2023-06-01';

/** Creates a provider over Anthropic's Messages wire. Never retries; nothing is sent before a stream is read. */
export function anthropicProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined },
): Provider {
  const named: ProviderConfig = {
    ...config,
    name: config.name ?? 'anthropic',
    headers: { 'anthropic-version': VERSION, ...config.headers },
  };
  const settings = resolveAnthropic(named);
  const client = createClient(named, settings.origin, settings.authorize);
  const wire = {
    name: settings.name,
    client,
    encode: createAnthropicEncoder(settings),
    decode: createAnthropicDecoder,
  };
  return { name: settings.name, stream: streamOf(wire) };
}
