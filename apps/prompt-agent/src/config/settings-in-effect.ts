import type { CommandCall } from '../invocation.ts';
import { chooseModel } from '../model/choose-model.ts';
import { addressFor, keyFor } from '../model/vendors.ts';
import { loadConfig } from './load-config.ts';
import { sessionsSetting } from './sessions-setting.ts';

export interface Setting {
  readonly name: string;
  /** Its value, for people; of a key only that there is one. */
  readonly value: string;
  /** A flag, a file, a variable of the environment, or `default`. */
  readonly from: string;
}

/** Returns the settings that a prompt would have now. Rejects with a usage error for a config that is wrong. */
export async function settingsInEffect(call: CommandCall): Promise<readonly Setting[]> {
  const { flags, host } = call;
  const loaded = await loadConfig(call);
  const { config, hasProvider } = loaded;
  const file = loaded.file ?? 'default';
  const choice = await chooseModel(call, loaded);
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
  const turnsOrigin = config.maxIterations === undefined ? 'default' : file;
  const rows: readonly (readonly [name: string, value: string, from: string])[] = [
    ['provider', name, choice.from],
    ['model', choice.model, fromFlag('model', config.model.name === choice.model ? file : choice.from)],
    [
      'address',
      typeof baseUrl === 'string' ? withoutUser(baseUrl) : "the provider's own",
      baseUrl === undefined ? 'default' : fromFlag('base-url', addressOrigin),
    ],
    ['key', token === undefined ? 'none' : 'set', token === undefined ? 'default' : fromFlag('token', keyOrigin)],
    [
      'system prompt',
      flags['system-prompt'] ?? config.systemPrompt ?? 'none',
      fromFlag('system-prompt', config.systemPrompt === undefined ? 'default' : file),
    ],
    [
      'max turns',
      turns ?? String(config.maxIterations ?? 25),
      turns === undefined ? turnsOrigin : fromFlag('max-turns', '--max-iterations'),
    ],
    [
      'memory',
      flags.memory ?? config.memory?.path ?? 'none',
      fromFlag('memory', config.memory?.path === undefined ? 'default' : file),
    ],
    ['workspace', flags.workspace ?? host.cwd, fromFlag('workspace', 'current folder')],
    ['sessions', sessions.isKept ? 'kept' : 'not kept', sessions.from],
  ];
  return rows.map(([setting, value, from]) => ({ name: setting, value, from }));
}

function withoutUser(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.username = '';
  url.password = '';
  return url.href;
}
