import type { EmbedRequest, EmbedResult, Provider } from '@kernel/protocol';
import { type RawReply, verifies, type WireReply } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { cosineSimilarity, embedMany } from '../../src/embeddings/index.ts';
import { errorOf, until } from '../support.ts';
import { withWire } from '../wires.ts';

const texts = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => 'x'.repeat(at + 1));

/** A provider whose vectors are the lengths of the texts; `answer` decides on each batch. */
function embedder(answer: (request: EmbedRequest, batch: number) => Promise<EmbedResult>): Provider {
  let batches = 0;
  return {
    name: 'fake',
    stream: () => {
      throw new Error('not streamed');
    },
    embed: (request) => answer(request, batches++),
  };
}

function lengths({ input }: EmbedRequest): EmbedResult {
  const vectors = [input].flat().map((text, index) => ({ index, vector: [text.length] }));
  return { embeddings: vectors, usage: { inputTokens: vectors.length, outputTokens: 0 } };
}

describe('embedMany', () => {
  test.each(['openai', 'azure', 'gemini', 'ollama'] as const)(
    'sends batches over %s and gives the vectors in the order of the texts, with the sum of the usage',
    async (wire) => {
      verifies('providers.embedMany');
      await withWire(wire, { replies: () => ({}) }, async ({ provider, server }) => {
        const { embeddings, usage } = await embedMany(provider, { model: 'e', input: texts(10), batchSize: 4 });
        expect(embeddings.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        expect(embeddings.map(({ vector }) => vector[0])).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        expect(server.requests).toHaveLength(3);
        expect(usage?.inputTokens).toBe(wire === 'gemini' ? undefined : 10);
      });
    },
  );

  test('keeps to the number of parallel requests, and to the order although batches end in any', async () => {
    verifies('providers.embedMany');
    let open = 0;
    let most = 0;
    const provider = embedder(async (request, batch) => {
      open += 1;
      most = Math.max(most, open);
      for (let wait = 0; wait < 10 - batch; wait += 1) await Promise.resolve(); // oxlint-disable-line no-await-in-loop
      open -= 1;
      return lengths(request);
    });
    const { embeddings } = await embedMany(provider, { model: 'e', input: texts(9), batchSize: 1, parallel: 3 });
    expect(embeddings).toEqual(texts(9).map((text, index) => ({ index, vector: [text.length] })));
    expect(most).toBe(3);
  });

  test('a batch that fails aborts the others, and its error names it', async () => {
    verifies('providers.embedMany.failure');
    const signals: (AbortSignal | undefined)[] = [];
    await withWire(
      'openai',
      {
        replies: (request): WireReply | RawReply =>
          JSON.stringify(request.body).includes('"xxxxx"')
            ? { status: 429, chunks: ['{"error":{"message":"slow down"}}'] }
            : {},
      },
      async ({ provider, server }) => {
        const watched: Provider = {
          ...provider,
          embed: (request) => {
            signals.push(request.signal);
            return provider.embed?.(request) ?? Promise.reject(new Error('none'));
          },
        };
        const error = await errorOf(embedMany(watched, { model: 'e', input: texts(40), batchSize: 2, parallel: 2 }));
        expect(error).toMatchObject({
          code: 'PROVIDER_HTTP',
          retryable: true,
          data: { status: 429, batch: 2, from: 4, to: 6 },
        });
        expect(error.message).toMatch(/embedMany: batch 3 of 20 \(texts 4 to 5\) failed: .*429/);
        expect(signals.every((signal) => signal?.aborted)).toBe(true);
        expect(server.requests.length).toBeLessThanOrEqual(6);
      },
    );
  });

  test('a provider that gives too few vectors, and a fault that is no typed error, name the batch too', async () => {
    verifies('providers.embedMany.failure');
    const few = embedder(async (request, batch) => (batch === 1 ? { embeddings: [] } : lengths(request)));
    const request = { model: 'e', input: texts(4), batchSize: 2, parallel: 1 };
    expect(await errorOf(embedMany(few, request))).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { batch: 1 } });
    const cause = new Error('odd');
    const odd = embedder(() => Promise.reject(cause));
    expect(await errorOf(embedMany(odd, request))).toMatchObject({
      code: 'PROVIDER_PROTOCOL',
      data: { batch: 0 },
      cause,
    });
  });

  test('an abort rejects with its reason and closes what is under way', async () => {
    verifies('providers.embedMany.abort');
    await withWire('openai', { replies: () => ({ fault: { beforeHead: 'stall' } }) }, async ({ provider, server }) => {
      const controller = new AbortController();
      const work = embedMany(provider, {
        model: 'e',
        input: texts(9),
        batchSize: 1,
        parallel: 3,
        signal: controller.signal,
      });
      const outcome = work.catch((error: unknown) => error);
      await until(() => server.requests.length === 3, 60_000);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(await outcome).toBe(reason);
      await until(() => server.connections.open === 0, 60_000);
      expect(server.requests).toHaveLength(3);
      await expect(embedMany(provider, { model: 'e', input: ['x'], signal: controller.signal })).rejects.toBe(reason);
    });
  });

  test('no texts are no request', async () => {
    verifies('providers.embedMany');
    const provider = embedder(() => Promise.reject(new Error('asked')));
    expect(await embedMany(provider, { model: 'e', input: [] })).toEqual({ embeddings: [] });
  });

  test('a batch of any size is one request', async () => {
    verifies('providers.embedMany');
    let batches = 0;
    const provider = embedder(async (request, batch) => {
      batches = batch + 1;
      return lengths(request);
    });
    const all = await embedMany(provider, { model: 'e', input: texts(300), batchSize: Infinity, parallel: Infinity });
    expect([all.embeddings.length, batches]).toEqual([300, 1]);
  });

  test.each([
    [{ batchSize: 0 }, 'batchSize'],
    [{ parallel: Number.NaN }, 'parallel'],
    [{ input: 'text' }, 'input'],
    [{ input: [1] }, 'input'],
  ])('%j is refused', async (wrong, name) => {
    verifies('providers.embedMany.checked');
    const request = { model: 'e', input: ['x'], ...wrong } as never;
    const error = await errorOf(
      embedMany(
        embedder(async (given) => lengths(given)),
        request,
      ),
    );
    expect([error.code, error.message.includes(name)]).toEqual(['CONFIG_INVALID', true]);
  });

  test('a provider without embeddings is refused', async () => {
    verifies('providers.embedMany.checked');
    const { embed: _, ...chat } = embedder(async (given) => lengths(given));
    expect(await errorOf(embedMany(chat, { model: 'e', input: ['x'] }))).toMatchObject({
      code: 'PROVIDER_UNSUPPORTED',
    });
  });
});

describe('cosineSimilarity', () => {
  test.each([
    [[1, 0], [2, 0], 1],
    [[1, 0], [0, 3], 0],
    [[1, 2], [-1, -2], -1],
    [[1, 1], [1, 0], Math.SQRT1_2],
    [[1e300, 1e300], [1e-300, 0], Math.SQRT1_2],
    [[5e-324], [1e308], 1],
  ])('of %j and %j is %d', (a, b, expected) => {
    verifies('providers.cosineSimilarity');
    expect(cosineSimilarity(a, b)).toBeCloseTo(expected, 12);
    expect(Math.abs(cosineSimilarity(a, b))).toBeLessThanOrEqual(1);
  });

  test.each([
    [[1, 2], [1], /2 and 1 components/],
    [[], [], /0 and 0 components/],
    [[0, 0], [1, 1], /only zeros/],
    [[1, Number.NaN], [1, 1], /NaN/],
    [[1, 1], [1, Infinity], /Infinity/],
  ])('of %j and %j is refused', async (a, b, message) => {
    verifies('providers.cosineSimilarity');
    const error = await errorOf(Promise.resolve().then(() => cosineSimilarity(a, b)));
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) as unknown });
  });
});
