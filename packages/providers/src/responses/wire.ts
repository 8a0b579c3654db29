import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { resolveResponses, type ResponsesWireConfig } from './config.ts';
import { createResponsesDecoder } from './decode.ts';
import { OPENAI_ORIGIN } from '../openai/models.ts';
import { createResponsesEncoder } from './encode.ts';
import { responsesRules } from './models.ts';

/** OpenAI's Responses API. @internal */
export const responsesWire: Wire<ResponsesWireConfig, WireSettings> = {
  resolve: resolveResponses,
  createEncoder: createResponsesEncoder,
  createDecoder: createResponsesDecoder,
  structuredOutput: ({ origin }, model) =>
    responsesRules(model, origin === OPENAI_ORIGIN).takesSchema ? 'schema' : 'tool-call',
};
