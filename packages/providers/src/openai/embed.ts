import { type Embedding, type EmbedRequest, type EmbedResult, KernelError } from '@kernel/protocol';
import type { Client } from '../wire/wire-context.ts';
import { asFields, asList, asNumber } from '../json-fields.ts';
import { readOptions } from '../config/model-options.ts';
import { collectText, readJson } from '../http/response-text.ts';
import type { ChatSettings } from './quirks.ts';

const TAKEN = new Set(['model', 'input']);

/** Posts to `/embeddings`; vectors come back in the order of the input, whatever order the server used. @internal */
export async function embed(client: Client, settings: ChatSettings, request: EmbedRequest): Promise<EmbedResult> {
  const inputs = typeof request.input === 'string' ? [request.input] : request.input;
  if (inputs.length === 0) return { embeddings: [] };
  // The defaults are for chat: an embeddings endpoint refuses temperature and its like.
  const { rest } = readOptions({}, request.options, TAKEN);
  const body = JSON.stringify({ ...rest, model: request.model, input: request.input });
  const call = {
    path: settings.path('embeddings', request.model),
    contentType: 'application/json',
    accept: 'application/json',
    body,
  };
  const value = readJson(settings.name, await collectText(client.caller, call, request.signal), client.redactor);
  return readEmbeddings(settings.name, value, inputs.length);
}

function readEmbeddings(provider: string, value: unknown, expected: number): EmbedResult {
  const reply = asFields(value);
  const found = new Map<number, Embedding>();
  for (const [at, entry] of asList(reply?.['data']).entries()) {
    const fields = asFields(entry);
    const index = asNumber(fields?.['index']) ?? at;
    const vector = asList(fields?.['embedding']).filter((number) => typeof number === 'number');
    if (vector.length > 0) found.set(index, { index, vector });
  }
  const embeddings = Array.from({ length: expected }, (_, at) => found.get(at));
  if (!embeddings.every((embedding) => embedding !== undefined)) {
    throw new KernelError(
      'PROVIDER_PROTOCOL',
      `${provider}: ${expected} texts were sent, ${found.size} vectors came back.`,
    );
  }
  const tokens = asNumber(asFields(reply?.['usage'])?.['prompt_tokens']);
  return { embeddings, ...(tokens === undefined ? {} : { usage: { inputTokens: tokens, outputTokens: 0 } }) };
}
