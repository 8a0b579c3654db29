import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { openStoredKeys } from '../credentials/stored-keys.ts';
import { chooseModel } from '../model/choose-model.ts';
import { askForModels, localServers } from '../model/local-servers.ts';
import { keyFor, VENDORS } from '../model/vendors.ts';
import type { Examination, Finding } from './finding.ts';

const PROBE_MS = 500;

/** Examines where a model could come from: keys, servers on this machine, and which one a prompt would have. No request goes to a vendor. */
export async function examineModel(call: CommandCall, loaded: LoadedConfig | undefined): Promise<Examination> {
  const { host, signal } = call;
  const stored = await openStoredKeys(host, signal);
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
  return { title: 'Model', findings: [...keys, ...servers, await examineChoice(call, loaded)] };
}

async function examineChoice({ flags, host, output }: CommandCall, loaded: LoadedConfig | undefined): Promise<Finding> {
  const what = 'a prompt goes to';
  if (loaded === undefined) return { what, state: 'bad', detail: 'nothing: the config has a mistake' };
  try {
    const { provider, model, from } = await chooseModel(flags, loaded, host, output, 'chat', false);
    return provider.name === 'offline'
      ? {
          what,
          state: 'none',
          detail: 'offline: no model was found. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama',
        }
      : { what, state: 'ok', detail: `${provider.name}/${model} (${from})` };
  } catch (error) {
    return { what, state: 'bad', detail: errorMessage(error) };
  }
}
