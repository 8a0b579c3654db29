import type { EmbedRequest, EmbedResult } from '@kernel/protocol';
import type { WireContext } from '../wire/wire-context.ts';
import { inputsOf, toEmbedResult } from '../embeddings/embed-result.ts';
import { postJson } from '../http/post-json.ts';
import { asFields, asList, asNumber } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';
import type { WireSettings } from '../config/wire-settings.ts';

const RESERVED_KEYS = new Set(['model', 'input']);

export async function embed(context: WireContext, settings: WireSettings, request: EmbedRequest): Promise<EmbedResult> {
  const input = inputsOf(request);
  if (input.length === 0) return { embeddings: [] };
  const { extra } = resolveOptions({}, request.options, RESERVED_KEYS);
  const path = `${settings.basePath}/embed${settings.query}`;
  const body = { ...extra, model: request.model, input };
  const reply = asFields(await postJson(context, settings.name, path, body, request.signal));
  const tokens = asNumber(reply?.['prompt_eval_count']);
  return toEmbedResult(settings.name, asList(reply?.['embeddings']), input.length, tokens);
}
