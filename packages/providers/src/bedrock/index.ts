import type { Provider } from '@kernel/protocol';
import { createClient, type Client } from '../wire/wire-context.ts';
import type { ProviderConfig } from '../config/provider-config.ts';
import { lazyProvider } from '../lazy-provider.ts';
import { streamOf } from '../wire/wire.ts';
import { createBedrockDecoder } from './decode.ts';
import { createBedrockEncoder } from './encode.ts';
import { loadFrameReader, type ReadFrame } from './optional-packages.ts';
import { resolveBedrock } from './config.ts';
import { createSign } from './sign.ts';

/**
 * Creates a provider over Bedrock's Converse wire: signed with SigV4, or with a Bedrock API key as `token`. Signatures, the
 * credential chain and the binary event stream come from optional packages that are loaded when used; a missing one throws
 * `PROVIDER_UNSUPPORTED` with its name. Never retries.
 */
export function bedrockProvider(
  config: Omit<ProviderConfig, 'name'> & { readonly name?: string | undefined },
): Provider {
  const named: ProviderConfig = { ...config, name: config.name ?? 'bedrock' };
  const settings = resolveBedrock(named);
  const sign = createSign(named, settings, () => client.redactor);
  const client: Client = createClient(named, settings.origin, settings.authorize, sign);
  const encode = createBedrockEncoder(settings);
  const { name } = settings;

  const withFrames = (readFrame: ReadFrame | undefined): Provider => {
    const decode = createBedrockDecoder(readFrame);
    return { name, stream: streamOf({ name, client, encode, decode }) };
  };
  const whole = withFrames(undefined);
  const streamed = lazyProvider(name, async () => withFrames(await loadFrameReader()), {
    embeds: false,
    transcribes: false,
  });
  return { name, stream: (request) => (request.stream === false ? whole : streamed).stream(request) };
}
