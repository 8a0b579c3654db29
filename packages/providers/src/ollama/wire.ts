import type { CommonConfig } from '../config/common-config.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { resolveOllama } from './config.ts';
import { createOllamaDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createOllamaEncoder } from './encode.ts';

export const ollamaWire: Wire<CommonConfig, WireSettings> = {
  resolve: resolveOllama,
  createEncoder: createOllamaEncoder,
  createDecoder: createOllamaDecoder,
  // Its grammar leaves no room for calls.
  structuredOutput: () => 'schema-without-tools',
  embed,
};
