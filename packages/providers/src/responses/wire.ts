import type { ServerToolsConfig, WireSettings } from '../config/wire-settings.ts';
import { type Wire } from '../wire/wire.ts';
import { resolveResponses } from './config.ts';
import { createResponsesDecoder } from './decode.ts';
import { OPENAI_ORIGIN } from '../openai/models.ts';
import { createResponsesEncoder, responsesRules } from './encode.ts';
import { pickFields } from '../json-fields.ts';

/** https://platform.openai.com/docs/api-reference/responses/input-tokens */
const COUNTED = [
  'conversation input instructions model parallel_tool_calls personality previous_response_id reasoning text',
  'tool_choice tools truncation',
]
  .join(' ')
  .split(' ');

export const responsesWire: Wire<ServerToolsConfig, WireSettings> = {
  resolve: resolveResponses,
  createEncoder: createResponsesEncoder,
  createDecoder: createResponsesDecoder,
  tokenCounter: {
    path: ({ basePath, query }) => `${basePath}/responses/input_tokens${query}`,
    body: (body) => pickFields(body, COUNTED),
    field: 'input_tokens',
  },
  structuredOutput: ({ origin }, model) =>
    responsesRules(model, origin === OPENAI_ORIGIN).takesSchema ? 'schema' : 'tool-call',
};
