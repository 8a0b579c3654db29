import type { CommonConfig } from '../config/common-config.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import type { Wire, WireContext } from '../wire/wire.ts';
import { resolveOllama } from './config.ts';
import { createOllamaDecoder } from './decode.ts';
import { createOllamaEncoder } from './encode.ts';
import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import { inputsOf, toEmbedResult } from '../embeddings/embed-result.ts';
import { postJson } from '../http/response-text.ts';
import { asFields, asList, asNumber } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';

export const ollamaWire: Wire<CommonConfig, WireSettings> = {
  resolve: resolveOllama,
  createEncoder: createOllamaEncoder,
  createDecoder: createOllamaDecoder,
  // Ollama's grammar for a schema leaves no room for tool calls.
  structuredOutput: () => 'schema-without-tools',
  embed,
};

const RESERVED_KEYS = new Set(['model', 'input']);

export async function embed(context: WireContext, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const input = inputsOf(request);
  if (input.length === 0) return { embeddings: [] };
  const { extra } = resolveOptions({}, request.options, RESERVED_KEYS);
  const path = `${settings.basePath}/embed${settings.query}`;
  const body = { ...extra, model: request.model, input };
  const reply = asFields(await postJson(context, path, body, request.signal));
  const tokens = asNumber(reply?.['prompt_eval_count']);
  return toEmbedResult(settings.name, asList(reply?.['embeddings']), input.length, tokens);
}
