import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { loadConfig } from '../config/load-config.ts';
import { openStoredKeys } from '../credentials/stored-keys.ts';
import { withToken } from '../credentials/token-of-flags.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { DEFAULT_MODELS_READ } from '../model/default-models.ts';
import { findModelSources } from '../model/model-sources.ts';
import { providers } from '../model/providers.ts';
import { VENDORS } from '../model/vendors.ts';
import { oneLine } from '../output/escape.ts';

/**
 * Prints the models of each provider that a key, the config or a server on this machine gives access to, as `provider/model`, and marks the default ones.
 * A provider that does not answer is a note on stderr. Exits with 1 if there is no model at all.
 */
export async function models(given: CommandCall): Promise<number> {
  const call = await withToken(given);
  const { flags, host, output, signal } = call;
  const loaded = await loadConfig(call);
  const stored = await openStoredKeys(host, output, signal);
  const sources = await findModelSources(flags, loaded, host, stored, (secret) => output.hide(secret));
  if (flags.provider !== undefined && sources.length === 0)
    throw usageError(`--provider ${flags.provider}: ${whyNoList(flags.provider)}`);
  const found = await Promise.all(
    sources.map(async ({ provider, from, list, ...source }) => {
      const defaults = Object.values(source.defaults).map(({ name }) => name);
      try {
        const names = await list(signal, (text) => output.note(`${provider}: ${oneLine(text, 300)}`));
        return { provider, from, models: names, defaults: defaults.filter((name) => names.includes(name)) };
      } catch (error) {
        signal.throwIfAborted();
        output.note(`${provider}: ${oneLine(errorMessage(error), 300)}`);
        return { provider, from, models: [], defaults: [] };
      }
    }),
  );
  if (flags.json === true) output.writeJson(found, 2);
  else
    for (const source of found)
      for (const model of source.models) {
        const mark = source.defaults.includes(model) ? `  (default, as of ${DEFAULT_MODELS_READ})` : '';
        output.write(`${oneLine(`${source.provider}/${model}`, 200)}${mark}\n`);
      }
  const isEmpty = found.every((source) => source.models.length === 0);
  if (isEmpty)
    output.note(
      'No model was found: set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama. See prompt-agent doctor.',
    );
  return isEmpty ? EXIT.failed : EXIT.answer;
}

/** Why the models of a provider cannot be listed, and what to do. */
function whyNoList(provider: string): string {
  const vendor = VENDORS.get(provider);
  if (vendor?.modelsAt === 'none')
    return 'its API has no list of models. Name the one that you deployed or enabled with --model.';
  const [variable] = vendor?.keys ?? [];
  if (variable !== undefined)
    return `its models are listed with a key. Set ${variable}, or keep one with prompt-agent keys set ${provider}.`;
  // An unknown name fails with the list of known ones.
  if (!providers.names.includes(provider)) providers.create({ name: provider });
  return provider === 'offline'
    ? 'it has no models.'
    : 'its models are listed where it runs. Give its address with --base-url URL.';
}
