import { existsSync } from 'node:fs';
import type { CommandCall } from '../command-call.ts';
import { configPaths } from '../config/folders.ts';
import { loadConfig } from '../config/load-config.ts';
import { sessionsSetting } from '../config/sessions-setting.ts';
import { EXIT } from '../exit-code.ts';
import { chooseModel } from '../model/choose-model.ts';
import { addressFor, keyFor } from '../model/vendors.ts';
import { oneLine } from '../output/escape.ts';
import { FLAG_NAMES, type FlagName, specOf } from '../options/flags.ts';
import { writeRows } from '../output/terminal/table.ts';

/** Prints each setting in effect, its value and where that is from: a flag, a file, the environment or the default. Keys are not printed. */
export async function showConfig(call: CommandCall): Promise<number> {
  const settings = await settingsInEffect(call);
  writeRows(
    call,
    settings,
    settings.map(({ name, value, from }) => [name, oneLine(value, 120), oneLine(from, 200)]),
  );
  return EXIT.answer;
}

/** Prints where the program looks for its settings and keeps what it remembers, and what is there. */
export function configPath(call: CommandCall): Promise<number> {
  const paths = configPaths(call.host).map((entry) => ({ ...entry, exists: existsSync(entry.path) }));
  writeRows(
    call,
    paths,
    paths.map(({ what, path, exists }) => [what, exists ? 'there' : 'absent', oneLine(path, 400)]),
  );
  return Promise.resolve(EXIT.answer);
}

/** Checks the config in effect, or that of `--config`. Exits with 2 at the first mistake, which is named with its path; settings that are ignored are printed. */
export async function checkConfig(call: CommandCall): Promise<number> {
  const { flags, output } = call;
  const { file, warnings } = await loadConfig(call, true);
  if (flags.json === true) {
    output.writeJson({ file: file ?? null, warnings }, 2);
    return EXIT.answer;
  }
  for (const warning of warnings) output.write(`${oneLine(warning, 400)}\n`);
  const ignored = warnings.length === 0 ? 'no mistakes' : `no mistakes, ${warnings.length} settings are ignored`;
  const found =
    file === undefined ? 'There is no config file: the defaults count' : `${oneLine(file, 400)}: ${ignored}`;
  output.write(`${found}\n`);
  return EXIT.answer;
}

type Row = readonly [name: string, value: string, from: string];

/** Returns the settings that a prompt would have now, each with its value for people (of a key only that there is one) and where that is from. Rejects with a usage error for a config that is wrong. */
async function settingsInEffect(call: CommandCall) {
  const { flags, host } = call;
  const loaded = await loadConfig(call);
  const { config, hasProvider } = loaded;
  const file = loaded.file ?? 'default';
  const choice = await chooseModel(call, loaded);
  const { name, baseUrl, token } = choice.provider;
  const key = keyFor(name, host.env);
  const isConfigured = hasProvider && config.provider.name === name;
  const own = isConfigured ? config.provider : undefined;
  const fromFlag = (flag: FlagName, other: string): string => (flags[flag] === undefined ? other : `--${flag}`);
  const address = addressFor(name, host.env);
  const addressOrigin = own?.baseUrl !== undefined ? file : address === undefined ? choice.from : 'environment';
  const keyOrigin = own?.token === undefined ? (key?.variable ?? 'default') : file;
  const sessions = await sessionsSetting(flags, host);
  const settingRow = (flag: FlagName): readonly Row[] => {
    const { setting } = specOf(flag);
    if (setting === undefined) return [];
    const { name: called, of, otherwise } = setting;
    const configured = of(config);
    const given = flags[flag];
    const value = typeof given === 'string' || typeof given === 'number' ? given : (configured ?? otherwise);
    return [[called, String(value), fromFlag(flag, configured === undefined ? 'default' : file)]];
  };
  const rows: readonly Row[] = [
    ['provider', name, choice.from],
    ['model', choice.model, fromFlag('model', config.model.name === choice.model ? file : choice.from)],
    [
      'address',
      typeof baseUrl === 'string' ? withoutUser(baseUrl) : "the provider's own",
      baseUrl === undefined ? 'default' : fromFlag('base-url', addressOrigin),
    ],
    ['key', token === undefined ? 'none' : 'set', token === undefined ? 'default' : fromFlag('token', keyOrigin)],
    ...FLAG_NAMES.flatMap((flag) => settingRow(flag)),
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
