import { toPathSegment } from '../config/path-segment.ts';
import { pickFields } from '../wire/count-tokens.ts';
import type { Wire } from '../wire/wire.ts';
import { type BedrockSettings, type BedrockWireConfig, resolveBedrock } from './config.ts';
import { createBedrockDecoder } from './decode.ts';
import { createBedrockEncoder } from './encode.ts';
import type { ReadFrame } from './optional-packages.ts';
import { createBedrockSigner } from './sign.ts';

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
