import type { Provider } from '@kernel/protocol';
import { toPathSegment } from '../config/base-url.ts';
import { pickFields } from '../json-fields.ts';
import { lazyProvider } from '../lazy-provider.ts';
import { type Wire, wireProvider } from '../wire/wire.ts';
import { type BedrockSettings, type BedrockWireConfig, resolveBedrock } from './config.ts';
import { createBedrockDecoder } from './decode.ts';
import { createBedrockEncoder } from './encode.ts';
import { loadFrameReader, type ReadFrame } from './optional-packages.ts';
import { createBedrockSigner } from './sign.ts';

/** The reader of the binary stream is loaded at the first streaming request. */
export function createBedrockProvider(config: BedrockWireConfig): Provider {
  let readFrame: ReadFrame | undefined;
  const provider = wireProvider(
    bedrockWire(() => readFrame),
    config,
  );
  const { name } = provider;
  const streaming = lazyProvider(name, async () => {
    readFrame = await loadFrameReader();
    return provider;
  });
  return { ...provider, stream: (request) => (request.stream === false ? provider : streaming).stream(request) };
}

const COUNTED = ['messages', 'system', 'toolConfig', 'additionalModelRequestFields'];

export function bedrockWire(frameReader: () => ReadFrame | undefined): Wire<BedrockWireConfig, BedrockSettings> {
  return {
    resolve: resolveBedrock,
    createEncoder: createBedrockEncoder,
    createDecoder: (context) => createBedrockDecoder(context, frameReader()),
    // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
    tokenCounter: {
      path: ({ basePath, query }, model) => `${basePath}/model/${toPathSegment(model)}/count-tokens${query}`,
      body: (body) => ({ input: { converse: pickFields(body, COUNTED) } }),
      field: 'inputTokens',
    },
    structuredOutput: () => 'tool-call',
    createSigner: createBedrockSigner,
  };
}
