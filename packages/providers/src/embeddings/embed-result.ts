import { type EmbedRequest, type EmbedResult, KernelError } from '@kernel/protocol';
import { asList } from '../json-fields.ts';

/** The texts of a request as a list. @internal */
export function inputsOf({ input }: EmbedRequest): readonly string[] {
  return typeof input === 'string' ? [input] : input;
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
