// An answer as data: validated by a schema, corrected once by the model if it does not fit, and streamed.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import * as z from 'zod';

const Recipe = z.object({
  title: z.string(),
  minutes: z.int().positive(),
  ingredients: z.array(z.object({ name: z.string(), grams: z.number() })),
  vegetarian: z.boolean().default(false),
});
const wrong = { title: 'Bread', minutes: -1, ingredients: [] };
const right = { title: 'Bread', minutes: 180, ingredients: [{ name: 'flour', grams: 500 }] };
const provider = scriptedProvider([{ text: JSON.stringify(wrong) }, { text: JSON.stringify(right), pieces: 6 }], {
  structuredOutput: 'schema', // as createProvider reports for a model that accepts a schema
});

const messages = [{ role: 'user', content: 'How do I bake bread?' }] as const;
const events = run({ provider, model: 'any-model', messages, output: Recipe });
const result = await collect(
  (async function* () {
    for await (const event of events) {
      if (event.type === 'output-delta') console.log('so far:', JSON.stringify(event.output));
      if (event.type === 'output-rejected') console.log('rejected:', event.issues.join('; '));
      yield event;
    }
  })(),
);

if (result.reason !== 'done') throw new Error(result.reason);
const recipe: z.infer<typeof Recipe> = result.output; // typed
assert.equal(recipe.minutes, 180);
assert.equal(recipe.vegetarian, false);
assert.equal(result.turns, 2);
console.log(`${recipe.title}: ${recipe.minutes} minutes`);
