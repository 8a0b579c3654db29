import { toProviderSettings, type VendorSettings } from '@kernel/agent/config';
import { KernelError } from '@kernel/protocol';
import { azureToken, type CustomProviderConfig } from '@kernel/providers';
import type { CommandCall } from '../command-call.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { untrusted } from '../config/project-file.ts';
import { openStoredKeys, type StoredKeys } from '../credentials/stored-keys.ts';
import { usageError } from '../exit-code.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { DEFAULT_MODELS } from './default-models.ts';
import { askForModels, findLocalServer, OLLAMA_URL } from './local-servers.ts';
import { providers } from './providers.ts';
import { addressFor, isVendorAddress, keyFor, vendorDefaults, VENDORS } from './vendors.ts';

export interface Choice {
  readonly provider: CustomProviderConfig;
  readonly model: string;
  /** Where the choice came from, such as `--provider` or `OPENAI_API_KEY`. */
  readonly from: string;
}

export type ModelNeed = 'chat' | 'embeddings' | 'audio';
const OLLAMA_MS = 2000;
type Picked = Pick<Choice, 'from'> & { readonly name: string; readonly baseUrl?: string; readonly model?: string };

/**
 * Chooses provider and model: the flag, the config file, a key in the environment, a model server on this machine, then offline. For a raw
 * protocol call, a config file without a provider means `ollama`.
 */
export async function chooseModel(
  { flags, host, output }: CommandCall,
  loaded: LoadedConfig,
  protocol: ModelNeed = 'chat',
  isRaw = false,
): Promise<Choice> {
  const stored = await openStoredKeys(host, output, host.signal);
  const picked = await pick(flags, loaded, host, isRaw, stored);
  // An unknown name fails at once, with the list of known ones, before its settings are read.
  if (!providers.names.includes(picked.name)) providers.create({ name: picked.name });
  const own = loaded.hasProvider && loaded.config.provider.name === picked.name ? loaded.config.provider : undefined;
  const address = flags['base-url'] ?? picked.baseUrl ?? own?.baseUrl;
  const baseUrl = address ?? addressFor(picked.name, host.env);
  const settings = toProviderSettings(
    { ...loaded.config, provider: own ?? { name: picked.name, options: {} } },
    azureToken,
  );
  const isProjectAddress =
    loaded.origin === 'project' && flags['base-url'] === undefined && !isVendorAddress(picked.name, address);
  if (isProjectAddress) refuseCredentials(flags, settings, loaded.file ?? '');
  // A key of the environment goes to its vendor alone, or where the user says: not to a server that was only detected on loopback, and not to
  // an address that a project's file gives.
  const getsKey =
    !isProjectAddress && picked.baseUrl === undefined && (settings.credentials ?? settings.profile) === undefined;
  const given = flags.token ?? settings.token;
  const key =
    given === undefined && (getsKey || isProjectAddress) ? await findKey(picked.name, host, stored) : undefined;
  const token = given ?? (getsKey ? key?.token : undefined);
  if (isProjectAddress && token === undefined && key !== undefined)
    output.note(
      `${key.from} is not sent: the address comes from ${loaded.file ?? 'a project'}. Give --base-url, or --config, to send it there.`,
    );
  const model = await modelFor(flags, loaded, picked, { ...settings, baseUrl }, protocol, host);
  const provider: CustomProviderConfig = {
    ...vendorDefaults(picked.name, model, host.env),
    ...settings,
    baseUrl,
    token,
  };
  return { provider, model, from: picked.from };
}

/** Throws a usage error for the token of the user, and for credentials of this machine, that a project's file would send to an address of its own. */
function refuseCredentials(flags: Flags, { name, credentials, token }: VendorSettings, file: string): void {
  if (flags.token !== undefined)
    throw usageError(
      `--token is not sent to the address that ${file}, a project's file, gives. Give --base-url, or --config ${file}, to send it there.`,
    );
  const isAmbient = name === 'bedrock' ? credentials === undefined && token === undefined : typeof token === 'function';
  if (isAmbient) throw untrusted(file, 'send the credentials of this machine to an address of its own');
}

/** Where a key of `keys set` is from, for people. */
const STORED = 'prompt-agent keys';

/** The key of a provider: of the environment, else the one that the user keeps. */
async function findKey(
  name: string,
  { env }: Host,
  stored: StoredKeys,
): Promise<{ readonly from: string; readonly token: string } | undefined> {
  const key = keyFor(name, env);
  if (key !== undefined) return { from: key.variable, token: key.token };
  const token = await stored.find(name);
  return token === undefined ? undefined : { from: STORED, token };
}

async function pick(
  flags: Flags,
  { config, file, hasProvider }: LoadedConfig,
  host: Host,
  isRaw: boolean,
  stored: StoredKeys,
): Promise<Picked> {
  if (flags.provider !== undefined) return { name: flags.provider, from: '--provider' };
  if (hasProvider) return { name: config.provider.name, from: file ?? 'config.json' };
  if (flags['base-url'] !== undefined || flags.token !== undefined) {
    return { name: 'openai', from: flags['base-url'] === undefined ? '--token' : '--base-url' };
  }
  if (isRaw && file !== undefined) return { name: 'ollama', from: 'default of a raw call' };
  const { names } = providers;
  for (const [name, { isChosenByKey }] of VENDORS) {
    if (isChosenByKey !== true || !names.includes(name)) continue;
    const key = keyFor(name, host.env);
    if (key !== undefined) return { name, from: key.variable };
    if (stored.list.some(({ provider }) => provider === name)) return { name, from: STORED };
  }
  const server = await findLocalServer(host.env, host.signal);
  if (server === undefined) return { name: 'offline', from: 'nothing else found' };
  const { provider, baseUrl, from } = server;
  return {
    name: provider,
    baseUrl,
    ...(server.models[0] === undefined ? {} : { model: server.models[0] }),
    from,
  };
}

async function modelFor(
  flags: Flags,
  { config, file }: LoadedConfig,
  picked: Picked,
  provider: CustomProviderConfig,
  protocol: ModelNeed,
  host: Host,
): Promise<string> {
  if (picked.name === 'offline') return 'offline';
  const named =
    flags.model ??
    (file === undefined ? undefined : config.model.name) ??
    picked.model ??
    DEFAULT_MODELS.get(picked.name)?.[protocol]?.name;
  if (named !== undefined && named !== '') return named;
  if (picked.name === 'ollama') return firstOfOllama(provider.baseUrl ?? OLLAMA_URL, host.signal);
  if (picked.name === 'azure') return typeof provider['deployment'] === 'string' ? provider['deployment'] : '';
  throw usageError(`No model is named for ${picked.name}: give --model, or model.name in the config.`);
}

async function firstOfOllama(baseUrl: string, signal: AbortSignal): Promise<string> {
  const where = URL.parse(baseUrl)?.origin ?? 'its address';
  const models = await askForModels(baseUrl, AbortSignal.any([signal, AbortSignal.timeout(OLLAMA_MS)]));
  signal.throwIfAborted();
  if (models === undefined)
    throw new KernelError('PROVIDER_NETWORK', `Ollama at ${where} did not answer.`, {
      hint: 'Start it with: ollama serve. If it runs elsewhere, say where with OLLAMA_HOST or --base-url.',
    });
  const [first] = models;
  if (first !== undefined) return first;
  throw usageError(`Ollama at ${where} has no model: load one with ollama pull NAME, and give --model NAME.`);
}
