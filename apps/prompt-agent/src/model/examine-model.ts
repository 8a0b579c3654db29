import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../invocation.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { openStoredKeys, type StoredKeys } from '../credentials/stored-keys.ts';
import { oneLine } from '../output/escape.ts';
import { chooseModel } from './choose-model.ts';
import { DEFAULT_MODELS_READ } from './default-models.ts';
import { askForModels, localServers } from './local-servers.ts';
import { findModelSources, type ModelSource } from './model-sources.ts';
import { keyFor, VENDORS } from './vendors.ts';
import type { Examination, Finding } from '../commands/doctor.ts';

const PROBE_MS = 500;
const LIST_MS = 5000;

/**
 * Examines where a model could come from: keys, servers on this machine, and which one a prompt would have. The only request to a vendor asks those with
 * a key for their models, to say whether the default ones are still there.
 */
export async function examineModel(call: CommandCall, loaded: LoadedConfig | undefined): Promise<Examination> {
  const { host, output, signal } = call;
  const stored = await openStoredKeys(host, output, signal);
  const keys = [...VENDORS].map(([provider, { keys: variables }]): Finding => {
    const key = keyFor(provider, host.env);
    const kept = stored.list.find((each) => each.provider === provider);
    if (key !== undefined) return { what: `key of ${provider}`, state: 'ok', detail: key.variable };
    if (kept !== undefined) return { what: `key of ${provider}`, state: 'ok', detail: `kept in ${kept.where}` };
    return { what: `key of ${provider}`, state: 'none', detail: `${variables.join(' or ')} is not set` };
  });
  const servers = await Promise.all(
    localServers(host.env).map(async ({ from, baseUrl }): Promise<Finding> => {
      const answer = await askForModels(baseUrl, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]));
      const models = answer ?? [];
      const detail =
        models.length === 0
          ? `${answer === undefined ? 'nothing answers' : 'there is no model'} at ${baseUrl}`
          : `${baseUrl}: ${models.length} models, such as ${models[0]}`;
      return { what: from.replace(' on this machine', ''), state: models.length === 0 ? 'none' : 'ok', detail };
    }),
  );
  const choice = await examineChoice(call, loaded);
  const defaults = loaded === undefined ? [] : await examineDefaults(call, loaded, stored, choice.model);
  return { title: 'Model', findings: [...keys, ...servers, ...defaults, choice.finding] };
}

/** Looks for the default model of each vendor with a key in the vendor's own list. A missing one stands in the way only if a prompt would go to it. */
async function examineDefaults(
  { flags, host, output, signal }: CommandCall,
  loaded: LoadedConfig,
  stored: StoredKeys,
  chosen: string | undefined,
): Promise<readonly Finding[]> {
  const sources = await findModelSources(flags, loaded, host, stored, (secret) => output.hide(secret));
  const findings = await Promise.all(
    sources.map(async (source): Promise<readonly Finding[]> => {
      const model = source.defaults.chat;
      return model === undefined
        ? []
        : [await examineDefault(source, model.name, `${source.provider}/${model.name}` === chosen, signal)];
    }),
  );
  return findings.flat();
}

async function examineDefault(
  { provider, list }: ModelSource,
  name: string,
  isChosen: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const what = `default of ${provider}`;
  try {
    const names = await list(AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]));
    if (names.includes(name)) return { what, state: 'ok', detail: `${name}, as of ${DEFAULT_MODELS_READ}` };
    const detail = `${provider} no longer lists ${name}, the default as of ${DEFAULT_MODELS_READ}: pick one that "prompt-agent models" lists, with --model`;
    return { what, state: isChosen ? 'bad' : 'none', detail };
  } catch (error) {
    signal.throwIfAborted();
    return { what, state: 'none', detail: `${name}: its list could not be read: ${oneLine(errorMessage(error), 200)}` };
  }
}

async function examineChoice(
  call: CommandCall,
  loaded: LoadedConfig | undefined,
): Promise<{ readonly finding: Finding; readonly model?: string }> {
  const what = 'a prompt goes to';
  if (loaded === undefined) return { finding: { what, state: 'bad', detail: 'nothing: the config has a mistake' } };
  try {
    const { provider, model, from } = await chooseModel(call, loaded);
    if (provider.name === 'offline') {
      const detail = 'offline: no model was found. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama';
      return { finding: { what, state: 'none', detail } };
    }
    const chosen = `${provider.name}/${model}`;
    return { finding: { what, state: 'ok', detail: `${chosen} (${from})` }, model: chosen };
  } catch (error) {
    return { finding: { what, state: 'bad', detail: errorMessage(error) } };
  }
}
