import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import type { WireContext } from '../wire/wire-context.ts';
import { inputsOf, toEmbedResult } from '../embeddings/embed-result.ts';
import { postJson } from '../http/post-json.ts';
import { asFields, asList } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { geminiPath, resourceName } from './config.ts';

const RESERVED_KEYS = new Set(['model', 'requests', 'content']);

export async function embed(context: WireContext, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const inputs = inputsOf(request);
  if (inputs.length === 0) return { embeddings: [] };
  const { extra } = resolveOptions({}, request.options, RESERVED_KEYS);
  const model = resourceName(request.model);
  const requests = inputs.map((text) => ({ ...extra, model, content: { parts: [{ text }] } }));
  const path = geminiPath(settings, request.model, 'batchEmbedContents');
  const reply = asFields(await postJson(context, settings.name, path, { requests }, request.signal));
  // A server that takes one text at a time answers with one `embedding`.
  const list = reply?.['embedding'] === undefined ? asList(reply?.['embeddings']) : [reply['embedding']];
  const vectors = list.map((each) => asFields(each)?.['values']);
  return toEmbedResult(settings.name, vectors, inputs.length, undefined);
}
