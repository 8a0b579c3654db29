import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire } from '../wire/wire.ts';
import { resolveGemini, type GeminiWireConfig } from './config.ts';
import { createGeminiDecoder } from './decode.ts';
import { embed } from './embed.ts';
import { createGeminiEncoder } from './encode.ts';
import { geminiRules } from './models.ts';

/** Gemini's generateContent API. @internal */
export const geminiWire: Wire<GeminiWireConfig, WireSettings> = {
  resolve: resolveGemini,
  createEncoder: createGeminiEncoder,
  createDecoder: createGeminiDecoder,
  structuredOutput: (_settings, model) =>
    geminiRules(model).schemaWithTools === true ? 'schema' : 'schema-without-tools',
  embed,
};
