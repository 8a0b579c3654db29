import type { ServerToolsConfig, WireSettings } from '../config/wire-settings.ts';
import type { Wire, WireContext } from '../wire/wire.ts';
import { geminiPath, resolveGemini, resourceName } from './config.ts';
import { createGeminiDecoder } from './decode.ts';
import { createGeminiEncoder } from './encode.ts';
import { geminiRules } from './models.ts';
import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import { inputsOf, toEmbedResult } from '../embeddings/embed-result.ts';
import { postJson } from '../http/response-text.ts';
import { asFields, asList } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';

export const geminiWire: Wire<ServerToolsConfig, WireSettings> = {
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

const RESERVED_KEYS = new Set(['model', 'requests', 'content']);

export async function embed(context: WireContext, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const inputs = inputsOf(request);
  if (inputs.length === 0) return { embeddings: [] };
  const { extra } = resolveOptions({}, request.options, RESERVED_KEYS);
  const model = resourceName(request.model);
  const requests = inputs.map((text) => ({ ...extra, model, content: { parts: [{ text }] } }));
  const path = geminiPath(settings, request.model, 'batchEmbedContents');
  const reply = asFields(await postJson(context, path, { requests }, request.signal));
  // A server that takes one text at a time answers with one `embedding`.
  const list = reply?.['embedding'] === undefined ? asList(reply?.['embeddings']) : [reply['embedding']];
  const vectors = list.map((each) => asFields(each)?.['values']);
  return toEmbedResult(settings.name, vectors, inputs.length, undefined);
}
