import type { ServerToolsConfig, WireSettings } from '../config/wire-settings.ts';
import { type Wire } from '../wire/wire.ts';
import { resolveAnthropic } from './config.ts';
import { createAnthropicDecoder } from './decode.ts';
import { createAnthropicEncoder } from './encode.ts';
import { rulesOf } from './models.ts';
import { pickFields } from '../json-fields.ts';

/** https://docs.claude.com/en/api/messages-count-tokens */
const COUNTED = 'model messages system tools tool_choice thinking output_config mcp_servers'.split(' ');

export const anthropicWire: Wire<ServerToolsConfig, WireSettings> = {
  resolve: resolveAnthropic,
  headers: ({ serverTools: { betas } }) => ({
    'anthropic-version': '2023-06-01',
    ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
  }),
  createEncoder: createAnthropicEncoder,
  createDecoder: createAnthropicDecoder,
  tokenCounter: {
    path: ({ basePath, query }) => `${basePath}/messages/count_tokens${query}`,
    body: (body) => pickFields(body, COUNTED),
    field: 'input_tokens',
  },
  structuredOutput: (_settings, model) => (rulesOf(model).replySchema ? 'schema' : 'tool-call'),
};
