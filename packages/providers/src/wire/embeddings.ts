import { type EmbedRequest, type EmbedResult, KernelError } from '@kernel/protocol';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asList } from '../json-fields.ts';
import type { WireContext } from './wire-context.ts';

/** The texts of a request as a list. @internal */
export function inputsOf({ input }: EmbedRequest): readonly string[] {
  return typeof input === 'string' ? [input] : input;
}

/** Posts JSON and resolves to the JSON of the reply. An error object under status 200 throws. @internal */
export async function postJson(
  { client, redactor }: WireContext,
  provider: string,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const request = {
    path,
    contentType: 'application/json',
    accept: 'application/json',
    body: JSON.stringify(body),
  };
  return parseJsonResponse(provider, await requestText(client, request, signal), redactor);
}

/** Creates a result from vectors in the order of the input. Throws `PROVIDER_PROTOCOL` if one is missing. @internal */
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
    const received = embeddings.filter(({ vector }) => vector.length > 0).length;
    throw new KernelError(
      'PROVIDER_PROTOCOL',
      `${provider}: ${expected} texts were sent, ${received} vectors came back.`,
    );
  }
  return { embeddings, ...(tokens === undefined ? {} : { usage: { inputTokens: tokens, outputTokens: 0 } }) };
}
