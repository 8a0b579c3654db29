import { linkAbort } from '@kernel/internal';
import {
  addUsage,
  checkNumber,
  checkProvider,
  type Embedding,
  type EmbedRequest,
  type EmbedResult,
  invalidOption,
  KernelError,
  type Provider,
  type Usage,
} from '@kernel/protocol';
import { protocolError } from '../http/errors.ts';

/** Many texts to embed. */
export interface EmbedManyRequest extends Omit<EmbedRequest, 'input'> {
  /** The texts. */
  readonly input: readonly string[];
  /** The maximum number of texts in one request. Default 96. */
  readonly batchSize?: number | undefined;
  /** The maximum number of requests in progress at once. Default 4. */
  readonly parallel?: number | undefined;
}

/** The smallest limit among the vendors. */
const BATCH_SIZE = 96;
const PARALLEL = 4;

/**
 * Returns vectors for many texts, in their order, and the sum of the reported tokens. The texts are sent in batches. Nothing is retried: wrap the
 * provider in `withRetry` for that.
 *
 * When a batch fails, the others in progress are aborted, no more are sent, and its error is thrown with the index of the batch (`data.batch`) and
 * the range of its texts (`data.from`, `data.to`, exclusive), counted from 0. An abort rejects with `signal.reason`.
 *
 * @example
 * ```ts
 * import { createProvider } from '@kernel/providers';
 * import { cosineSimilarity, embedMany } from '@kernel/providers/embeddings';
 *
 * const provider = createProvider({ name: 'ollama' });
 * const { embeddings } = await embedMany(provider, { model: 'nomic-embed-text', input: ['a cat', 'a dog'] });
 * ```
 */
export async function embedMany(provider: Provider, request: EmbedManyRequest): Promise<EmbedResult> {
  checkProvider('embedMany', provider);
  const { batchSize = BATCH_SIZE, input, model, options, parallel = PARALLEL, signal } = request;
  checkNumber('embedMany', 'batchSize', batchSize, 1);
  checkNumber('embedMany', 'parallel', parallel, 1);
  const texts: unknown = input;
  if (!Array.isArray(texts) || texts.some((text) => typeof text !== 'string'))
    throw invalidOption('embedMany', 'input', 'an array of strings', input);
  const embed = embedderOf(provider);
  signal?.throwIfAborted();
  const size = Math.min(Math.floor(batchSize), Math.max(input.length, 1));
  const count = Math.ceil(input.length / size);
  const results: EmbedResult[] = [];
  const stop = new AbortController();
  const unlink = linkAbort(signal, stop);
  let next = 0;

  async function sendBatches(): Promise<void> {
    while (next < count && !stop.signal.aborted) {
      const batch = next;
      next += 1;
      const place = { batch, from: batch * size, to: Math.min((batch + 1) * size, input.length) };
      const part = input.slice(place.from, place.to);
      try {
        // oxlint-disable-next-line no-await-in-loop -- one batch after another, beside the other senders
        const result = await embed({ model, input: part, options, signal: stop.signal });
        if (result.embeddings.length !== part.length) throw countError(provider.name, part.length, result);
        results[batch] = result;
      } catch (error) {
        // After the first failure, and after the caller's abort, this changes nothing.
        stop.abort(batchError(error, place, count));
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(Math.floor(parallel), count) }, sendBatches));
  } finally {
    unlink();
  }
  stop.signal.throwIfAborted();
  return joinResults(results);
}

function countError(name: string, sent: number, { embeddings }: EmbedResult): KernelError {
  return protocolError(name, `${sent} texts were sent, ${embeddings.length} vectors came back.`);
}

function embedderOf(provider: Provider): NonNullable<Provider['embed']> {
  const embed = provider.embed?.bind(provider);
  if (embed !== undefined) return embed;
  throw new KernelError('PROVIDER_UNSUPPORTED', `${provider.name} has no embeddings.`, {
    hint: 'Use a provider with embeddings, such as openai, gemini or ollama.',
  });
}

function joinResults(results: readonly EmbedResult[]): EmbedResult {
  const embeddings: Embedding[] = [];
  let usage: Usage | undefined;
  for (const result of results) {
    for (const { vector } of result.embeddings) embeddings.push({ index: embeddings.length, vector });
    if (result.usage !== undefined) usage = usage === undefined ? result.usage : addUsage(usage, result.usage);
  }
  return { embeddings, ...(usage === undefined ? {} : { usage }) };
}

function batchError(
  error: unknown,
  place: { readonly batch: number; readonly from: number; readonly to: number },
  count: number,
): unknown {
  const { batch, from, to } = place;
  const which = `batch ${batch + 1} of ${count} (texts ${from} to ${to - 1})`;
  if (!KernelError.is(error))
    return new KernelError('PROVIDER_PROTOCOL', `embedMany: ${which} failed.`, { data: place, cause: error });
  return new KernelError(error.code, `embedMany: ${which} failed: ${error.message}`, {
    hint: error.hint,
    retryable: error.retryable,
    data: { ...error.data, ...place },
    cause: error,
  });
}
