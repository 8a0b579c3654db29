import { type Embedding, KernelError } from '@kernel/protocol';
import type { CommandCall } from '../command-call.ts';
import { EXIT } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { openModel } from '../model/open-model.ts';
import { readMessage } from '../prompt/read-message.ts';

/** Embeds the prompt and prints the size, the ends and the range of each vector, then the tokens. */
export async function embeddings(
  { provider, choice, loaded, flags, output, signal }: Invocation,
  prompt: string,
): Promise<number> {
  if (provider.embed === undefined)
    throw new KernelError('PROVIDER_UNSUPPORTED', `${choice.provider.name} has no embeddings.`);
  const { embeddings: vectors, usage } = await provider.embed({
    model: choice.model,
    input: prompt,
    options: loaded.config.model.capabilities['embeddings'],
    signal,
  });
  if (flags.json === true || flags['json-lines'] === true) {
    output.writeJson({
      version: 1,
      protocol: 'embeddings',
      provider: choice.provider.name,
      model: choice.model,
      embeddings: vectors,
      usage,
    });
    return EXIT.answer;
  }
  output.write(`Input: ${JSON.stringify(prompt)}\n\nGenerated ${vectors.length} embedding(s):\n`);
  for (const embedding of vectors) output.write(`\n${describe(embedding)}\n`);
  if (usage !== undefined) output.write(`\nTokens: ${usage.inputTokens + usage.outputTokens} total\n`);
  return EXIT.answer;
}

function show(values: readonly number[]): string {
  return values.map((value) => value.toFixed(6)).join(', ');
}

function describe({ index, vector }: Embedding): string {
  const values = vector.length <= 10 ? show(vector) : `${show(vector.slice(0, 5))}, ..., ${show(vector.slice(-5))}`;
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  for (const value of vector) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  const range =
    vector.length === 0
      ? 'empty'
      : `min ${min.toFixed(6)}, max ${max.toFixed(6)}, mean ${(sum / vector.length).toFixed(6)}`;
  return `Embedding [${index}]:\n  Dimensions: ${vector.length}\n  Values: [${values}]\n  Range: ${range}`;
}

/** Embeds a text, of the command line or of stdin, and prints the size, ends and range of its vector; with `--json` the vector. */
export async function embed(call: CommandCall): Promise<number> {
  const { text } = await readMessage(call, { takesMedia: false });
  return embeddings(await openModel(call, 'embeddings', true), text);
}
