import { type EmbedRequest, type EmbedResult, KernelError } from '@kernel/protocol';
import type { Client } from './wire-context.ts';
import { asList } from '../json-fields.ts';
import { collectText, readJson } from '../http/response-text.ts';

/** The texts of a request as a list. @internal */
export function inputsOf(request: EmbedRequest): readonly string[] {
  return typeof request.input === 'string' ? [request.input] : request.input;
}

/** Posts JSON and resolves to the JSON of the reply; an error object under status 200 throws. @internal */
export async function postJson(
  client: Client,
  provider: string,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const call = { path, contentType: 'application/json', accept: 'application/json', body: JSON.stringify(body) };
  return readJson(provider, await collectText(client.caller, call, signal), client.redactor);
}

/** Makes a result of vectors that came in the order of the input; throws `PROVIDER_PROTOCOL` when one is missing. @internal */
export function toEmbedResult(
  provider: string,
  vectors: readonly unknown[],
  expected: number,
  tokens: number | undefined,
): EmbedResult {
  const embeddings = vectors.map((value, index) => ({
    index,
    vector: asList(value).filter((number) => typeof number === 'number'),
  }));
  if (embeddings.length !== expected || embeddings.some(({ vector }) => vector.length === 0)) {
    const found = embeddings.filter(({ vector }) => vector.length > 0).length;
    throw new KernelError('PROVIDER_PROTOCOL', `${provider}: ${expected} texts were sent, ${found} vectors came back.`);
  }
  return { embeddings, ...(tokens === undefined ? {} : { usage: { inputTokens: tokens, outputTokens: 0 } }) };
}
