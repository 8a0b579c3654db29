import { openStoredKeys } from '../credentials/stored-keys.ts';
import type { Invocation } from '../invocation.ts';
import { MAX_MODELS } from './session-options.ts';

/** How long a session is idle before its models are listed, in milliseconds. */
const IDLE_MS = 500;

/** Lists the models of the provider in use, once, when the session has been idle for a while: no answer waits for that. `onList` gets them, if there are any. */
export function listModelsWhenIdle(
  opened: () => Invocation,
  signal: AbortSignal,
  onList: (models: readonly string[]) => void,
) {
  let timer: NodeJS.Timeout | undefined;
  let hasListed = false;
  const list = async (): Promise<void> => {
    hasListed = true;
    const models = await listModels(opened(), signal);
    if (models.length > 0 && !signal.aborted) onList(models);
  };
  return {
    /** Says that the session is idle from now on. */
    idle(): void {
      clearTimeout(timer);
      if (!hasListed) timer = setTimeout(() => void list(), IDLE_MS).unref();
    },
    /** Says that the session has something to do, or has ended. */
    busy: (): void => clearTimeout(timer),
  };
}

/** Never rejects: an editor without a list has the model in use. */
async function listModels(
  { choice, flags, loaded, host, output }: Invocation,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { findModelSources } = await import('../model/model-sources.ts');
    const { name } = choice.provider;
    const stored = await openStoredKeys(host, output, signal);
    const hide = (secret: string | undefined): void => output.hide(secret);
    const sources = await findModelSources({ ...flags, provider: name }, loaded, host, stored, hide);
    const source = sources.find(({ provider }) => provider === name);
    return source === undefined ? [] : (await source.list(signal)).slice(0, MAX_MODELS);
  } catch {
    return [];
  }
}
