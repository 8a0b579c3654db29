import { access, constants, mkdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { findProgram, errorMessage } from '@kernel/internal';
import type { Host } from '../host.ts';
import { hasTerminal } from '../questions/ask.ts';
import type { CommandCall } from '../invocation.ts';
import { configPaths, stateFolder } from '../config/folders.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { examineModel } from '../model/examine-model.ts';
import { EXIT } from '../exit-code.ts';
import { oneLine } from '../output/escape.ts';
import { tableOf } from '../output/terminal/table.ts';

const MARKS = { ok: '+', none: '-', bad: '!' } as const;

/** Prints what the program looked for, what it found, and what it refused and why. Exits with 1 if something stands in the way of an answer. */
export async function doctor(call: CommandCall): Promise<number> {
  const { flags, host, output } = call;
  const { loaded, ...config } = await examineConfig(call);
  const examinations = [config, await examineModel(call, loaded), await examineSystem(host)];
  if (flags.json === true) output.writeJson(examinations, 2);
  else
    for (const { title, findings } of examinations) {
      output.write(`${title}\n`);
      const rows = findings.map(({ what, state, detail }) => [
        `  ${MARKS[state]} ${oneLine(what, 40)}`,
        oneLine(detail, 300),
      ]);
      for (const line of tableOf(rows)) output.write(`${line}\n`);
    }
  const isBad = examinations.some(({ findings }) => findings.some(({ state }) => state === 'bad'));
  return isBad ? EXIT.failed : EXIT.answer;
}

export interface Finding {
  readonly what: string;
  /** Whether it was found and is in order: `bad` stands in the way of an answer, `none` does not. */
  readonly state: 'ok' | 'none' | 'bad';
  /** What was found, or why not, and what to do. */
  readonly detail: string;
}

export interface Examination {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Examines the config files, and the folder of what the program remembers. Returns the config, if it can be used. */
export async function examineConfig(
  call: CommandCall,
): Promise<Examination & { readonly loaded: LoadedConfig | undefined }> {
  const findings: Finding[] = [];
  let loaded: LoadedConfig | undefined;
  try {
    loaded = await loadConfig(call);
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
  for (const { what, path } of configPaths(call.host))
    if (what !== 'state')
      findings.push({
        what,
        state: existsSync(path) ? 'ok' : 'none',
        detail: existsSync(path) ? path : `not there: ${path}`,
      });
  findings.push(await examineState(stateFolder(call.host)));
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

const PROGRAMS: readonly (readonly [name: string, use: string])[] = [
  ['git', 'code_agent looks at changes with it'],
  ['rg', 'search_text is faster with ripgrep'],
  ['bwrap', 'commands are isolated with bubblewrap'],
  ['secret-tool', 'keys can be kept in the Secret Service with it'],
];

export async function examineSystem(host: Host): Promise<Examination> {
  const { detectIsolation } = await import('@kernel/toolbox/commands');
  const isolation = await detectIsolation();
  const programs = PROGRAMS.map(([name, use]): Finding => {
    const path = findProgram(name, { workspace: host.cwd, path: host.env['PATH'] ?? '' });
    return { what: name, state: path === undefined ? 'none' : 'ok', detail: path ?? `not found: ${use}` };
  });
  return {
    title: 'System',
    findings: [
      { what: 'Node', state: 'ok', detail: `${process.version} on ${process.platform} ${process.arch}` },
      ...programs,
      {
        what: 'isolation',
        state: isolation === undefined ? 'none' : 'ok',
        detail: isolation?.name ?? 'none: commands of tools run with your rights. Install bubblewrap',
      },
      {
        what: 'terminal',
        state: hasTerminal(host) ? 'ok' : 'none',
        detail: hasTerminal(host) ? 'approvals can be asked for' : 'none: nothing can be asked; give --allow rules',
      },
    ],
  };
}
