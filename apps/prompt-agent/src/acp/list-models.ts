import { openStoredKeys } from '../credentials/stored-keys.ts';
import type { Invocation } from '../invocation.ts';
import { findModelSources } from '../model/model-sources.ts';

const MAX_MODELS = 500;

/** Lists the models of the provider in use; empty where it has no list, or does not give it. Never rejects. */
export async function listModels(
  { choice, flags, loaded, host, output }: Invocation,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { name } = choice.provider;
    const stored = await openStoredKeys(host, output, signal);
    const sources = await findModelSources({ ...flags, provider: name }, loaded, host, stored, (secret) =>
      output.hide(secret),
    );
    const source = sources.find(({ provider }) => provider === name);
    return source === undefined ? [] : (await source.list(signal)).slice(0, MAX_MODELS);
  } catch {
    return [];
  }
}
