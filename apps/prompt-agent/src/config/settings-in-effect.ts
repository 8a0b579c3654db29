import type { CommandCall } from '../invocation.ts';
import { chooseModel } from '../model/choose-model.ts';
import { addressFor, keyFor } from '../model/vendors.ts';
import { loadConfig } from './load-config.ts';
import { sessionsSetting } from './sessions-setting.ts';

/** A setting, its value, and where that is from. */
export interface Setting {
  /** Its name. */
  readonly name: string;
  /** Its value, for people; of a key only that there is one. */
  readonly value: string;
  /** A flag, a file, a variable of the environment, or `default`. */
  readonly from: string;
}

/** Returns the settings that a prompt would have now. Rejects with a usage error for a config that is wrong. */
export async function settingsInEffect({ flags, host, output }: CommandCall): Promise<readonly Setting[]> {
  const loaded = await loadConfig(flags, host, output);
  const { config, hasProvider } = loaded;
  const file = loaded.file ?? 'default';
  const choice = await chooseModel(flags, loaded, host, output, 'chat', false);
  const { name, baseUrl, token } = choice.provider;
  const key = keyFor(name, host.env);
  const isConfigured = hasProvider && config.provider.name === name;
  const own = isConfigured ? config.provider : undefined;
  const fromFlag = (flag: keyof typeof flags, other: string): string =>
    flags[flag] === undefined ? other : `--${flag}`;
  const address = addressFor(name, host.env);
  const addressOrigin = own?.baseUrl !== undefined ? file : address === undefined ? choice.from : 'environment';
  const keyOrigin = own?.token === undefined ? (key?.variable ?? 'default') : file;
  const sessions = await sessionsSetting(flags, host);
  const turns = flags['max-turns'] ?? flags['max-iterations'];
  return [
    { name: 'provider', value: name, from: choice.from },
    {
      name: 'model',
      value: choice.model,
      from: fromFlag('model', config.model.name === choice.model ? file : choice.from),
    },
    {
      name: 'address',
      value: typeof baseUrl === 'string' ? withoutUser(baseUrl) : "the provider's own",
      from: baseUrl === undefined ? 'default' : fromFlag('base-url', addressOrigin),
    },
    {
      name: 'key',
      value: token === undefined ? 'none' : 'set',
      from: token === undefined ? 'default' : fromFlag('token', keyOrigin),
    },
    {
      name: 'system prompt',
      value: flags['system-prompt'] ?? config.systemPrompt ?? 'none',
      from: fromFlag('system-prompt', config.systemPrompt === undefined ? 'default' : file),
    },
    {
      name: 'max turns',
      value: turns ?? String(config.maxIterations ?? 25),
      from:
        turns === undefined
          ? config.maxIterations === undefined
            ? 'default'
            : file
          : fromFlag('max-turns', '--max-iterations'),
    },
    {
      name: 'memory',
      value: flags.memory ?? config.memory?.path ?? 'none',
      from: fromFlag('memory', config.memory?.path === undefined ? 'default' : file),
    },
    { name: 'workspace', value: flags.workspace ?? host.cwd, from: fromFlag('workspace', 'current folder') },
    { name: 'sessions', value: sessions.isKept ? 'kept' : 'not kept', from: sessions.from },
  ];
}

/** An address without credentials that stand in it. */
function withoutUser(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.username = '';
  url.password = '';
  return url.href;
}
