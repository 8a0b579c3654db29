import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { type AnthropicWireConfig, resolveAnthropic } from './config.ts';
import { createAnthropicDecoder } from './decode.ts';
import { createAnthropicEncoder } from './encode.ts';
import { rulesOf } from './models.ts';

/** Anthropic's Messages API. @internal */
export const anthropicWire: Wire<AnthropicWireConfig, WireSettings> = {
  resolve: resolveAnthropic,
  headers: ({ serverTools: { betas } }) => ({
    'anthropic-version': '2023-06-01',
    ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
  }),
  createEncoder: createAnthropicEncoder,
  createDecoder: createAnthropicDecoder,
  structuredOutput: (_settings, model) => (rulesOf(model).replySchema ? 'schema' : 'tool-call'),
};
