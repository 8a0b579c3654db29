import { join, resolve } from 'node:path';
import { type AgentConfig, CONFIG_KEYS, DEFAULT_CONFIG, isConfig } from '@kernel/agent/config';
import { errorMessage } from '@kernel/internal';
import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { readText, requireText } from '../files/read-file.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { oneLine } from '../output/escape.ts';
import { configFolder } from './folders.ts';
import {
  checkHeaders,
  checkMemory,
  checkOptions,
  isApproved,
  isApprovedAlready,
  variablesFor,
} from './project-file.ts';

/**
 * Whose word a config is: the user's (`--config`, the user's own file), or that of the project in the current folder, which must not decide where a
 * credential of the environment goes.
 */
type ConfigOrigin = 'user' | 'project';

export interface LoadedConfig {
  readonly config: AgentConfig;
  /** The file, for messages; undefined if there is none. */
  readonly file?: string;
  /** Whose file it is. Without a file: the user's. */
  readonly origin: ConfigOrigin;
  /** Whether the file names a provider; if not, detection continues. */
  readonly hasProvider: boolean;
  readonly hasRetry: boolean;
  /** Settings that are ignored, each with its path. */
  readonly warnings: readonly string[];
}

const FILE = 'config.json';

/**
 * Reads the config: the file of `--config`, else `config.json` of the current folder if the user approved it, else the user's own file. A missing
 * file is an error only if it was named; any mistake in a file that is used is one. With `isStrict`, a mistake in the file of the current folder is one, too, if
 * nobody approved the file yet.
 */
export async function loadConfig(call: CommandCall, isStrict = false): Promise<LoadedConfig> {
  const { flags, host } = call;
  if (flags.config !== undefined) {
    const text = await requireText(resolve(host.cwd, flags.config), '--config', flags.config);
    return toConfig(parseText(text), flags.config, 'user', host.env, flags);
  }
  const project = await loadProject(call, isStrict);
  if (project !== undefined) return project;
  const own = join(configFolder(host), FILE);
  const text = await readText(own, 'config');
  if (text !== undefined) return toConfig(parseText(text), own, 'user', host.env, flags);
  if (flags.agent !== undefined) throw usageError('--agent needs a config file with "agents": give --config.');
  return { config: DEFAULT_CONFIG, origin: 'user', hasProvider: false, hasRetry: false, warnings: [] };
}

/**
 * The config of the project in the current folder, if it has one that this program can read and the user approves. A file with a mistake that nobody approved
 * may be that of another program: it is not used, with a note.
 */
async function loadProject({ flags, host, output }: CommandCall, isStrict: boolean): Promise<LoadedConfig | undefined> {
  const path = resolve(host.cwd, FILE);
  const text = await readText(path, 'config').catch(() => undefined);
  const json = text === undefined ? undefined : parseText(text);
  if (text === undefined || !isConfig(json)) return undefined;
  const parsed = withoutUnknown(json);
  let loaded: LoadedConfig;
  const env = variablesFor(text.includes('${') ? JSON.stringify(parsed) : '', FILE, host.env);
  try {
    loaded = await toConfig(parsed, FILE, 'project', env, flags);
  } catch (error) {
    const isUsed = isStrict || flags.agent !== undefined || (await isApprovedAlready(path, text, host));
    if (isUsed) throw error;
    output.note(
      `config: ${FILE} is not used: ${oneLine(errorMessage(error), 300)} If it is meant for this program, correct it, or give --config ${FILE}.`,
    );
    return undefined;
  }
  checkHeaders(loaded.config, FILE);
  checkOptions(loaded.config, FILE);
  if (!(await isApproved(path, { text, parsed, config: loaded.config }, host, output))) return undefined;
  await checkMemory(loaded.config, FILE, resolve(host.cwd, flags.workspace ?? '.'), host.cwd);
  return loaded;
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return text;
  }
}

async function toConfig(
  parsed: unknown,
  file: string,
  origin: ConfigOrigin,
  env: Host['env'],
  { agent }: Flags,
): Promise<LoadedConfig> {
  const { fromConfig, takeOwnSettings } = await import('./file-schemas.ts');
  const others = origin === 'user' ? takeOwnSettings(parsed, file) : parsed;
  const { config, warnings } = fromConfig(others, { file, env });
  const source = blockOf(parsed, agent);
  return {
    config: agent === undefined ? config : chooseAgent(config, agent, file),
    file,
    origin,
    hasProvider: has(source, 'provider'),
    hasRetry: has(source, 'client') && has(source.client, 'retry'),
    warnings,
  };
}

function chooseAgent(config: AgentConfig, name: string, file: string): AgentConfig {
  const { agents = {}, systemPrompt: _, ...ofFile } = config;
  const chosen = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (chosen !== undefined) return { ...ofFile, ...chosen };
  const names = Object.keys(agents);
  const known = names.length === 0 ? 'it has no "agents"' : `it has ${names.join(', ')}`;
  throw usageError(`--agent: there is no agent "${name}" in ${file}; ${known}.`);
}

/** The block of the file that describes the agent: one of `agents`, `agent`, or the whole file. */
function blockOf(source: unknown, agent: string | undefined): unknown {
  if (agent !== undefined) return has(source, 'agents') && has(source.agents, agent) ? source.agents[agent] : undefined;
  return has(source, 'agent') ? source.agent : source;
}

function has<K extends string>(value: unknown, key: K): value is Readonly<Record<K, unknown>> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key);
}

const TOP_KEYS: ReadonlySet<string> = new Set([...CONFIG_KEYS, 'name', 'session']);

/** The JSON without what its unknown keys hold: that is not read, so what it refers to does not matter. */
function withoutUnknown(json: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(json).map(([key, value]): [string, unknown] => [key, TOP_KEYS.has(key) ? value : null]),
  );
}
