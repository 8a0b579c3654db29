import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import type { Client } from '../wire/wire-context.ts';
import { inputsOf, postJson, toEmbedResult } from '../wire/embeddings.ts';
import { asFields, asList, asNumber } from '../json-fields.ts';
import { readOptions } from '../config/model-options.ts';
import type { WireSettings } from '../wire/media.ts';

const TAKEN = new Set(['model', 'input']);

/** Posts to `/api/embed`. @internal */
export async function embed(client: Client, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const input = inputsOf(request);
  if (input.length === 0) return { embeddings: [] };
  const { rest } = readOptions({}, request.options, TAKEN);
  const path = `${settings.root}/embed${settings.search}`;
  const body = { ...rest, model: request.model, input };
  const reply = asFields(await postJson(client, settings.name, path, body, request.signal));
  const tokens = asNumber(reply?.['prompt_eval_count']);
  return toEmbedResult(settings.name, asList(reply?.['embeddings']), input.length, tokens);
}
