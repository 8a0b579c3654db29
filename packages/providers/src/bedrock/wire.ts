import type { Wire } from '../wire/wire.ts';
import { type BedrockSettings, type BedrockWireConfig, resolveBedrock } from './config.ts';
import { createBedrockDecoder } from './decode.ts';
import { createBedrockEncoder } from './encode.ts';
import type { ReadFrame } from './optional-packages.ts';
import { createBedrockSigner } from './sign.ts';

/** Bedrock's Converse API. `frameReader` returns what reads the frames of a stream, once it is loaded. @internal */
export function bedrockWire(frameReader: () => ReadFrame | undefined): Wire<BedrockWireConfig, BedrockSettings> {
  return {
    resolve: resolveBedrock,
    createEncoder: createBedrockEncoder,
    createDecoder: (context) => createBedrockDecoder(context, frameReader()),
    structuredOutput: () => 'tool-call',
    createSigner: createBedrockSigner,
  };
}
