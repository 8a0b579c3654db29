import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { geminiPath, type GeminiWireConfig, resolveGemini, resourceName } from './config.ts';
import { createGeminiDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createGeminiEncoder } from './encode.ts';
import { geminiRules } from './models.ts';

export const geminiWire: Wire<GeminiWireConfig, WireSettings> = {
  resolve: resolveGemini,
  createEncoder: createGeminiEncoder,
  createDecoder: createGeminiDecoder,
  structuredOutput: (_settings, model) =>
    geminiRules(model).schemaWithTools === true ? 'schema' : 'schema-without-tools',
  // https://ai.google.dev/api/tokens: the request as it would be sent counts all of it.
  tokenCounter: {
    path: (settings, model) => geminiPath(settings, model, 'countTokens'),
    body: (body, model) => ({ generateContentRequest: { model: resourceName(model), ...body } }),
    field: 'totalTokens',
  },
  embed,
};
