import type { Provider } from '@kernel/protocol';
import { lazyProvider } from '../lazy-provider.ts';
import { wireProvider } from '../wire/wire.ts';
import type { BedrockWireConfig } from './config.ts';
import { loadFrameReader, type ReadFrame } from './optional-packages.ts';
import { bedrockWire } from './wire.ts';

/** The reader of the binary stream is loaded at the first streaming request. */
export function createBedrockProvider(config: BedrockWireConfig): Provider {
  let readFrame: ReadFrame | undefined;
  const provider = wireProvider(
    bedrockWire(() => readFrame),
    config,
  );
  const { name } = provider;
  const streaming = lazyProvider(
    name,
    async () => {
      readFrame = await loadFrameReader();
      return provider;
    },
    { countsTokens: false, embeds: false, transcribes: false },
  );
  return { ...provider, stream: (request) => (request.stream === false ? provider : streaming).stream(request) };
}
