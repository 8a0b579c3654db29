// Finds the text that is closest in meaning to a question: vectors are fetched in batches and compared by cosine similarity.
import assert from 'node:assert/strict';
import type { Provider } from '@kernel/protocol';
import { cosineSimilarity, embedMany } from '@kernel/providers/embeddings';

// Stands in for a vendor: a text's vector counts its letters.
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('');
const vectorOf = (text: string) => letters.map((letter) => text.toLowerCase().split(letter).length - 1);
let requests = 0;
const provider: Provider = {
  name: 'letters',
  stream: () => {
    throw new Error('This provider only embeds.');
  },
  embed: async ({ input }) => {
    requests += 1;
    return { embeddings: [input].flat().map((text, index) => ({ index, vector: vectorOf(text) })) };
  },
};

const texts = [
  'Bread rises with yeast.',
  'The train leaves at nine.',
  'Bees dance for each other.',
  'Rain falls in May.',
];
const { embeddings } = await embedMany(provider, { model: 'any', input: texts, batchSize: 2, parallel: 2 });
const [question] = (await embedMany(provider, { model: 'any', input: ['When does the train leave?'] })).embeddings;

const scores = embeddings.map(({ vector }) => cosineSimilarity(vector, question?.vector ?? []));
const best = texts[scores.indexOf(Math.max(...scores))];
console.log(`${best} (${requests} requests)`);
assert.equal(best, 'The train leaves at nine.');
assert.equal(requests, 3);
