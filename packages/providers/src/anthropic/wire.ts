import type { CommonConfig } from '../config/common-config.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { resolveAnthropic } from './config.ts';
import { createAnthropicDecoder } from './decode.ts';
import { createAnthropicEncoder } from './encode.ts';
import { rulesOf } from './models.ts';

/** Anthropic's Messages API. @internal */
export const anthropicWire: Wire<CommonConfig, WireSettings> = {
  resolve: resolveAnthropic,
  headers: { 'anthropic-version': '2023-06-01' },
  createEncoder: createAnthropicEncoder,
  createDecoder: createAnthropicDecoder,
  structuredOutput: (_settings, model) => (rulesOf(model).replySchema ? 'schema' : 'tool-call'),
};
