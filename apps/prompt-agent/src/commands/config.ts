import { existsSync } from 'node:fs';
import { configPaths } from '../config/folders.ts';
import { loadConfig } from '../config/load-config.ts';
import { settingsInEffect } from '../config/settings-in-effect.ts';
import { EXIT } from '../exit-code.ts';
import type { CommandCall } from '../invocation.ts';
import { oneLine } from '../output/escape.ts';
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
