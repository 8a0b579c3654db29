import type { LoadedConfig } from '../config/load-config.ts';
import type { StoredKeys } from '../credentials/stored-keys.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { DEFAULT_MODELS, type VendorModels } from './default-models.ts';
import { fetchModelList } from './fetch-model-list.ts';
import { askForModels, localServers } from './local-servers.ts';
import { addressFor, keyFor, VENDORS } from './vendors.ts';

export interface ModelSource {
  readonly provider: string;
  readonly from: string;
  readonly baseUrl: string;
  /** What is used of it where nothing names a model. Empty for a server on this machine, which is no vendor whatever API it speaks. */
  readonly defaults: VendorModels;
  /** Lists its models by name. Rejects with an error that says why it cannot; `warn` gets what is wrong with a list that can be used. */
  readonly list: (signal: AbortSignal, warn?: (text: string) => void) => Promise<readonly string[]>;
}

const LOCAL_MS = 1000;

/** Finds the providers to list: that of `--provider`, or `openai` for `--base-url` and `--token`, else each with a key, and the servers on this machine. */
export async function findModelSources(
  flags: Flags,
  { config, hasProvider, origin }: LoadedConfig,
  { env }: Pick<Host, 'env'>,
  stored: StoredKeys,
  hide: (secret: string | undefined) => void,
): Promise<readonly ModelSource[]> {
  // An address is one provider's: the keys of the others do not go there.
  const named = flags.provider ?? ((flags['base-url'] ?? flags.token) === undefined ? undefined : 'openai');
  const isWanted = (name: string): boolean => named === undefined || named === name;
  const own = hasProvider && origin === 'user' ? config.provider : undefined;
  const vendors = [...VENDORS].flatMap(([name, { origin: address, modelsAt }]): readonly ModelSource[] => {
    const key = keyFor(name, env);
    const isSet = named === name && (flags.token ?? flags['base-url']) !== undefined;
    const isOwn = own?.name === name;
    const isKept = key === undefined && stored.list.some((each) => each.provider === name);
    if (!isWanted(name) || modelsAt === 'none') return [];
    // The same vendor under another name would be listed twice.
    if (name === 'openai-responses' && named !== name && !isOwn) return [];
    if (key === undefined && !isKept && !isSet && !isOwn) return [];
    const baseUrl =
      (isOwn ? own.baseUrl : undefined) ??
      flags['base-url'] ??
      addressFor(name, env) ??
      (address && `${address}${modelsAt ?? ''}`);
    const given = flags.token ?? (isOwn ? own.token : undefined) ?? key?.token;
    const from = key?.variable ?? (isSet ? '--provider' : isKept ? 'prompt-agent keys' : 'config');
    const list: ModelSource['list'] = async (signal, warn) => {
      const token = given ?? (isKept ? await stored.find(name) : undefined);
      hide(token);
      return fetchModelList({ provider: name, baseUrl: baseUrl ?? '', token, signal, warn });
    };
    return baseUrl === undefined
      ? []
      : [{ provider: name, from, baseUrl, defaults: DEFAULT_MODELS.get(name) ?? {}, list }];
  });
  const address = flags['base-url'];
  if (named !== undefined && address !== undefined && !VENDORS.has(named) && named !== 'offline') {
    const list: ModelSource['list'] = (signal, warn) =>
      fetchModelList({ provider: named, baseUrl: address, token: flags.token, signal, warn });
    return [{ provider: named, from: '--base-url', baseUrl: address, defaults: {}, list }];
  }
  const local = localServers(env)
    .filter(({ provider }) => isWanted(provider))
    .map((server): ModelSource => {
      const list: ModelSource['list'] = async (signal) =>
        (await askForModels(server.baseUrl, AbortSignal.any([signal, AbortSignal.timeout(LOCAL_MS)]))) ?? [];
      return { ...server, defaults: {}, list };
    });
  return [...vendors, ...local];
}
