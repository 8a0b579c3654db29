import { existsSync } from 'node:fs';
import { access, constants, mkdir } from 'node:fs/promises';
import { errorMessage, findProgram } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { configPaths, stateFolder } from '../config/folders.ts';
import { loadConfig, type LoadedConfig } from '../config/load-config.ts';
import { openStoredKeys, type StoredKeys } from '../credentials/stored-keys.ts';
import { EXIT } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { chooseModel } from '../model/choose-model.ts';
import { DEFAULT_MODELS_READ } from '../model/default-models.ts';
import { askForModels, localServers } from '../model/local-servers.ts';
import { findModelSources, type ModelSource } from '../model/model-sources.ts';
import { keyFor, VENDORS } from '../model/vendors.ts';
import { oneLine } from '../output/escape.ts';
import { tableOf } from '../output/terminal/table.ts';
import { hasTerminal } from '../questions/ask.ts';

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
        oneLine(detail, 800),
      ]);
      for (const line of tableOf(rows)) output.write(`${line}\n`);
    }
  const isBad = examinations.some(({ findings }) => findings.some(({ state }) => state === 'bad'));
  return isBad ? EXIT.failed : EXIT.answer;
}

interface Finding {
  readonly what: string;
  /** Whether it was found and is in order: `bad` stands in the way of an answer, `none` does not. */
  readonly state: 'ok' | 'none' | 'bad';
  /** What was found, or why not, and what to do. */
  readonly detail: string;
}

interface Examination {
  readonly title: string;
  readonly findings: readonly Finding[];
}

function found(what: string, isThere: boolean, detail: string): Finding {
  return { what, state: isThere ? 'ok' : 'none', detail };
}

/** Examines the config files, and the folder of what the program remembers. Returns the config, if it can be used. */
async function examineConfig(call: CommandCall): Promise<Examination & { readonly loaded: LoadedConfig | undefined }> {
  const findings: Finding[] = [];
  let loaded: LoadedConfig | undefined;
  try {
    loaded = await loadConfig(call);
    const { file, warnings, origin } = loaded;
    const detail = `${file}, ${origin === 'user' ? 'yours' : "the project's, which you approved"}`;
    findings.push(found('config in use', file !== undefined, file === undefined ? 'none: the defaults count' : detail));
    for (const warning of warnings) findings.push(found('ignored', false, warning));
  } catch (error) {
    findings.push({ what: 'config in use', state: 'bad', detail: errorMessage(error) });
  }
  for (const { what, path } of configPaths(call.host))
    if (what !== 'state') findings.push(found(what, existsSync(path), existsSync(path) ? path : `not there: ${path}`));
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

async function examineSystem(host: Host): Promise<Examination> {
  const programs = PROGRAMS.map(([name, use]): Finding => {
    const path = findProgram(name, { workspace: host.cwd, path: host.env['PATH'] ?? '' });
    return found(name, path !== undefined, path ?? `not found: ${use}`);
  });
  return {
    title: 'System',
    findings: [
      found('Node', true, `${process.version} on ${process.platform} ${process.arch}`),
      ...programs,
      await examineIsolation(),
      found(
        'terminal',
        hasTerminal(host),
        hasTerminal(host) ? 'approvals can be asked for' : 'none: nothing can be asked; give --allow rules',
      ),
    ],
  };
}

async function examineIsolation(): Promise<Finding> {
  const { detectIsolation, measureIsolation } = await import('@kernel/toolbox/commands');
  const detected = await detectIsolation();
  const { isolation } = detected;
  if (isolation === undefined)
    return found('isolation', false, `none: commands run with all your rights. ${detected.reason} ${detected.hint}`);
  const addedMs = Math.round(await measureIsolation(isolation));
  return found('isolation', true, `${isolation.name}, which adds about ${addedMs} ms to a command`);
}

const PROBE_MS = 500;
const LIST_MS = 5000;

/**
 * Examines where a model could come from: keys, servers on this machine, and which one a prompt would have. The only request to a vendor asks those with
 * a key for their models, to say whether the default ones are still there.
 */
async function examineModel(call: CommandCall, loaded: LoadedConfig | undefined): Promise<Examination> {
  const { host, output, signal } = call;
  const stored = await openStoredKeys(host, output, signal);
  const keys = [...VENDORS].map(([provider, { keys: variables }]): Finding => {
    const key = keyFor(provider, host.env);
    const kept = stored.list.find((each) => each.provider === provider);
    const where = key?.variable ?? (kept && `kept in ${kept.where}`);
    return found(`key of ${provider}`, where !== undefined, where ?? `${variables.join(' or ')} is not set`);
  });
  const servers = await Promise.all(
    localServers(host.env).map(async ({ from, baseUrl }): Promise<Finding> => {
      const answer = await askForModels(baseUrl, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]));
      const models = answer ?? [];
      const detail =
        models.length === 0
          ? `${answer === undefined ? 'nothing answers' : 'there is no model'} at ${baseUrl}`
          : `${baseUrl}: ${models.length} models, such as ${models[0]}`;
      return found(from.replace(' on this machine', ''), models.length > 0, detail);
    }),
  );
  const choice = await examineChoice(call, loaded);
  const defaults = loaded === undefined ? [] : await examineDefaults(call, loaded, stored, choice.model);
  return { title: 'Model', findings: [...keys, ...servers, ...defaults, choice.finding] };
}

/** Looks for the default model of each vendor with a key in the vendor's own list. A missing one stands in the way only if a prompt would go to it. */
async function examineDefaults(
  { flags, host, output, signal }: CommandCall,
  loaded: LoadedConfig,
  stored: StoredKeys,
  chosen: string | undefined,
): Promise<readonly Finding[]> {
  const sources = await findModelSources(flags, loaded, host, stored, (secret) => output.hide(secret));
  const findings = await Promise.all(
    sources.map(async (source): Promise<readonly Finding[]> => {
      const model = source.defaults.chat;
      return model === undefined
        ? []
        : [await examineDefault(source, model.name, `${source.provider}/${model.name}` === chosen, signal)];
    }),
  );
  return findings.flat();
}

async function examineDefault(
  { provider, list }: ModelSource,
  name: string,
  isChosen: boolean,
  signal: AbortSignal,
): Promise<Finding> {
  const what = `default of ${provider}`;
  try {
    const names = await list(AbortSignal.any([signal, AbortSignal.timeout(LIST_MS)]));
    if (names.includes(name)) return { what, state: 'ok', detail: `${name}, as of ${DEFAULT_MODELS_READ}` };
    const detail = `${provider} no longer lists ${name}, the default as of ${DEFAULT_MODELS_READ}: pick one that "prompt-agent models" lists, with --model`;
    return { what, state: isChosen ? 'bad' : 'none', detail };
  } catch (error) {
    signal.throwIfAborted();
    return { what, state: 'none', detail: `${name}: its list could not be read: ${oneLine(errorMessage(error), 200)}` };
  }
}

async function examineChoice(
  call: CommandCall,
  loaded: LoadedConfig | undefined,
): Promise<{ readonly finding: Finding; readonly model?: string }> {
  const what = 'a prompt goes to';
  if (loaded === undefined) return { finding: { what, state: 'bad', detail: 'nothing: the config has a mistake' } };
  try {
    const { provider, model, from } = await chooseModel(call, loaded);
    if (provider.name === 'offline') {
      const detail = 'offline: no model was found. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or start Ollama';
      return { finding: { what, state: 'none', detail } };
    }
    const chosen = `${provider.name}/${model}`;
    return { finding: { what, state: 'ok', detail: `${chosen} (${from})` }, model: chosen };
  } catch (error) {
    return { finding: { what, state: 'bad', detail: errorMessage(error) } };
  }
}
