import { toProviderSettings, type VendorSettings } from '@kernel/agent/config';
import { azureToken, type CustomProviderConfig } from '@kernel/providers';
import type { LoadedConfig } from '../config/load-config.ts';
import type { Flags } from '../options/flags.ts';
import type { Host } from '../host.ts';
import type { Output } from '../render/output.ts';
import { findLocalServer, listModels } from './local-servers.ts';
import { providers } from './providers.ts';
import { usageError } from '../usage-error.ts';
import { addressFor, isVendorAddress, keyFor, VENDORS } from './vendors.ts';

/** The model to use and why. */
export interface Choice {
  /** The config of the provider. */
  readonly provider: CustomProviderConfig;
  /** The name of the model. */
  readonly model: string;
  /** Where the choice came from, such as `--provider` or `OPENAI_API_KEY`. */
  readonly from: string;
}

type Protocol = 'chat' | 'embeddings' | 'audio';
type Picked = Pick<Choice, 'from'> & { readonly name: string; readonly baseUrl?: string; readonly model?: string };

/**
 * Chooses provider and model: the flag, the config file, a key in the environment, a model server on this machine, then offline. For a raw
 * protocol call, a config file without a provider means `ollama`.
 */
export async function chooseModel(
  flags: Flags,
  loaded: LoadedConfig,
  host: Host,
  output: Output,
  protocol: Protocol,
  isRaw: boolean,
): Promise<Choice> {
  const picked = await pick(flags, loaded, host, isRaw);
  // An unknown name fails at once, with the list of known ones, before its settings are read.
  if (!providers.names.includes(picked.name)) providers.create({ name: picked.name });
  const own = loaded.hasProvider && loaded.config.provider.name === picked.name ? loaded.config.provider : undefined;
  const given = flags['base-url'] ?? picked.baseUrl ?? own?.baseUrl;
  const baseUrl = given ?? addressFor(picked.name, host.env);
  const settings = toProviderSettings(
    { ...loaded.config, provider: own ?? { name: picked.name, options: {} } },
    azureToken,
  );
  const isProjectAddress =
    loaded.origin === 'project' && flags['base-url'] === undefined && !isVendorAddress(picked.name, given);
  if (isProjectAddress) refuseCredentials(flags, settings, loaded.file ?? '');
  // A key of the environment goes to its vendor alone, or where the user says: not to a server that was only detected on loopback, and not to
  // an address that a project's file gives.
  const getsKey =
    !isProjectAddress && picked.baseUrl === undefined && (settings.credentials ?? settings.profile) === undefined;
  const key = keyFor(picked.name, host.env);
  const token = flags.token ?? settings.token ?? (getsKey ? key?.token : undefined);
  if (isProjectAddress && token === undefined && key !== undefined)
    output.note(
      `${key.variable} is not sent: the address comes from ${loaded.file ?? 'a project'}. Give --base-url, or --config, to send it there.`,
    );
  const region =
    settings.region ??
    (picked.name === 'bedrock' ? (host.env['AWS_REGION'] ?? host.env['AWS_DEFAULT_REGION']) : undefined);
  const provider: CustomProviderConfig = {
    ...settings,
    baseUrl,
    token,
    ...(region === undefined ? {} : { region }),
  };
  return { provider, model: await modelFor(flags, loaded, picked, provider, protocol, host), from: picked.from };
}

/** Throws a usage error for the token of the user, and for credentials of this machine, that a project's file would send to an address of its own. */
function refuseCredentials(flags: Flags, { name, credentials, token }: VendorSettings, file: string): void {
  if (flags.token !== undefined)
    throw usageError(
      `--token is not sent to the address that ${file}, a project's file, gives. Give --base-url, or --config ${file}, to send it there.`,
    );
  const isAmbient = name === 'bedrock' ? credentials === undefined && token === undefined : typeof token === 'function';
  if (isAmbient)
    throw usageError(
      `${file}: a project's file may not send the credentials of this machine to an address of its own. Give --config ${file} if you trust it.`,
    );
}

async function pick(
  flags: Flags,
  { config, file, hasProvider }: LoadedConfig,
  host: Host,
  isRaw: boolean,
): Promise<Picked> {
  if (flags.provider !== undefined) return { name: flags.provider, from: '--provider' };
  if (hasProvider) return { name: config.provider.name, from: file ?? 'config.json' };
  if (flags['base-url'] !== undefined || flags.token !== undefined) {
    return { name: 'openai', from: flags['base-url'] === undefined ? '--token' : '--base-url' };
  }
  if (isRaw && file !== undefined) return { name: 'ollama', from: 'default of a raw call' };
  const { names } = providers;
  for (const [name, { models }] of VENDORS) {
    const key = models.chat !== undefined && names.includes(name) ? keyFor(name, host.env) : undefined;
    if (key !== undefined) return { name, from: key.variable };
  }
  const server = await findLocalServer(host.env, host.signal);
  if (server === undefined) return { name: 'offline', from: 'nothing else found' };
  const { provider, baseUrl, label } = server;
  return {
    name: provider,
    baseUrl,
    ...(server.models[0] === undefined ? {} : { model: server.models[0] }),
    from: `${label} on this machine`,
  };
}

async function modelFor(
  flags: Flags,
  { config, file }: LoadedConfig,
  picked: Picked,
  provider: CustomProviderConfig,
  protocol: Protocol,
  host: Host,
): Promise<string> {
  if (picked.name === 'offline') return 'offline';
  const named =
    flags.model ??
    (file === undefined ? undefined : config.model.name) ??
    picked.model ??
    VENDORS.get(picked.name)?.models[protocol];
  if (named !== undefined && named !== '') return named;
  if (picked.name === 'ollama') {
    const deadline = AbortSignal.any([host.signal, AbortSignal.timeout(2000)]);
    const [first] = await listModels(provider.baseUrl ?? 'http://127.0.0.1:11434', deadline);
    if (first !== undefined) return first;
  }
  if (picked.name === 'azure') return typeof provider['deployment'] === 'string' ? provider['deployment'] : '';
  throw usageError(`No model is named for ${picked.name}: give --model, or model.name in the config.`);
}
