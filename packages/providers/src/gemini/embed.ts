import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import type { Client } from '../wire/wire-context.ts';
import { inputsOf, postJson, toEmbedResult } from '../wire/embeddings.ts';
import { asFields, asList } from '../json-fields.ts';
import { readOptions } from '../config/model-options.ts';
import type { WireSettings } from '../wire/media.ts';
import { geminiPath } from './config.ts';

const TAKEN = new Set(['model', 'requests', 'content']);

/** Posts to `batchEmbedContents`: one content a text, with the options of the request beside each. @internal */
export async function embed(client: Client, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const inputs = inputsOf(request);
  if (inputs.length === 0) return { embeddings: [] };
  const { rest } = readOptions({}, request.options, TAKEN);
  const model = request.model.includes('/') ? request.model : `models/${request.model}`;
  const requests = inputs.map((text) => ({ ...rest, model, content: { parts: [{ text }] } }));
  const path = geminiPath(settings, request.model, 'batchEmbedContents');
  const reply = asFields(await postJson(client, settings.name, path, { requests }, request.signal));
  const vectors = asList(reply?.['embeddings']).map((each) => asFields(each)?.['values']);
  return toEmbedResult(settings.name, vectors, inputs.length, undefined);
}
