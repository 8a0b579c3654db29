import { fromBase64 } from '@kernel/internal';
import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import { resolveOptions } from '../config/model-options.ts';
import { asFields, asList, asNumber } from '../json-fields.ts';
import { inputsOf, toEmbedResult } from '../embeddings/embed-result.ts';
import { postJson } from '../http/response-text.ts';
import type { WireContext } from '../wire/wire.ts';
import type { ChatSettings } from './config.ts';

const RESERVED_KEYS = new Set(['model', 'input']);

/** Returns the vectors in the order of the input, whatever order the server used. */
export async function embed(context: WireContext, settings: ChatSettings, request: EmbedRequest): Promise<EmbedResult> {
  const { input, model, signal } = request;
  const { length } = inputsOf(request);
  if (length === 0) return { embeddings: [] };
  // The default options are for chat: an embeddings endpoint refuses temperature and the like.
  const { extra } = resolveOptions({}, request.options, RESERVED_KEYS);
  const body = { ...extra, model, input };
  const reply = asFields(await postJson(context, settings.path('embeddings'), body, signal));
  const vectors = new Map<number, unknown>();
  for (const [at, entry] of asList(reply?.['data']).entries()) {
    const fields = asFields(entry);
    const vector = vectorOf(fields?.['embedding']);
    if (vector.length > 0) vectors.set(asNumber(fields?.['index']) ?? at, vector);
  }
  const ordered = Array.from({ length }, (_, at) => vectors.get(at));
  const tokens = asNumber(asFields(reply?.['usage'])?.['prompt_tokens']);
  return toEmbedResult(settings.name, ordered, length, tokens);
}

/** With `encoding_format: 'base64'`, a vector is little-endian floats of 4 bytes. */
function vectorOf(embedding: unknown): readonly unknown[] {
  if (typeof embedding !== 'string') return asList(embedding);
  const { buffer, byteOffset, byteLength } = fromBase64(embedding);
  if (byteLength % 4 !== 0) return [];
  const view = new DataView(buffer, byteOffset, byteLength);
  return Array.from({ length: byteLength / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
