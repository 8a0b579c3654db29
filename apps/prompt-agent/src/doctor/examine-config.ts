import { errorMessage } from '@kernel/internal';
import { access, constants, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import type { CommandCall } from '../command-call.ts';
import { configPaths } from '../config/config-paths.ts';
import { stateFolder } from '../config/folders.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import type { Examination, Finding } from './finding.ts';

/** Examines the config files, and the folder of what the program remembers. Returns the config, if it can be used. */
export async function examineConfig({
  flags,
  host,
  output,
}: CommandCall): Promise<Examination & { readonly loaded: LoadedConfig | undefined }> {
  const findings: Finding[] = [];
  let loaded: LoadedConfig | undefined;
  try {
    loaded = await loadConfig(flags, host, output);
    const { file, warnings, origin } = loaded;
    const detail = `${file}, ${origin === 'user' ? 'yours' : "the project's, which you approved"}`;
    findings.push({
      what: 'config in use',
      state: file === undefined ? 'none' : 'ok',
      detail: file === undefined ? 'none: the defaults count' : detail,
    });
    for (const warning of warnings) findings.push({ what: 'ignored', state: 'none', detail: warning });
  } catch (error) {
    findings.push({ what: 'config in use', state: 'bad', detail: errorMessage(error) });
  }
  for (const { what, path } of configPaths(host))
    if (what !== 'state')
      findings.push({
        what,
        state: existsSync(path) ? 'ok' : 'none',
        detail: existsSync(path) ? path : `not there: ${path}`,
      });
  findings.push(await examineState(stateFolder(host)));
  return { title: 'Config', findings, loaded };
}

async function examineState(folder: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return { what: 'state', state: 'ok', detail: `${folder} can be written` };
  } catch (error) {
    return { what: 'state', state: 'bad', detail: `${folder} cannot be written: ${errorMessage(error)}` };
  }
}
