import { type EmbedRequest, type EmbedResult, describeType } from '@kernel/protocol';
import { asList } from '../json-fields.ts';
import { protocolError } from '../http/errors.ts';

export function inputsOf({ input }: EmbedRequest): readonly string[] {
  return typeof input === 'string' ? [input] : input;
}

/** `vectors` are in the order of the input. */
export function toEmbedResult(
  provider: string,
  vectors: readonly unknown[],
  expected: number,
  tokens: number | undefined,
): EmbedResult {
  const embeddings = vectors.map((value, index) => ({ index, vector: toVector(provider, value, index) }));
  if (embeddings.length !== expected || embeddings.some(({ vector }) => vector.length === 0)) {
    const received = embeddings.filter(({ vector }) => vector.length > 0).length;
    throw protocolError(provider, `${expected} texts were sent, ${received} vectors came back.`);
  }
  return { embeddings, ...(tokens === undefined ? {} : { usage: { inputTokens: tokens, outputTokens: 0 } }) };
}

/** Throws for an invalid component: without it, the others would be at the wrong indexes. */
function toVector(provider: string, value: unknown, index: number): readonly number[] {
  return asList(value).map((component, at) => {
    if (typeof component === 'number' && Number.isFinite(component)) return component;
    const what = typeof component === 'number' ? String(component) : describeType(component);
    throw protocolError(provider, `component ${at} of vector ${index} is ${what}, not a number.`);
  });
}
