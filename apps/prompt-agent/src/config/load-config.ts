import { join, resolve } from 'node:path';
import { type AgentConfig, CONFIG_KEYS, fromConfig } from '@kernel/agent/config';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import type { Output } from '../render/output.ts';
import { usageError } from '../usage-error.ts';
import { configFolder } from './folders.ts';
import { checkOptions, checkHeaders, checkMemory, isApproved, variablesFor } from './project-file.ts';
import { readText } from '../files/read-file.ts';

/**
 * Whose word a config is: the user's (`--config`, the user's own file), or that of the project in the current folder, which must not decide where a
 * credential of the environment goes.
 */
export type ConfigOrigin = 'user' | 'project';

/** The config in effect. */
export interface LoadedConfig {
  /** The settings, with defaults. */
  readonly config: AgentConfig;
  /** The file, for messages; undefined if there is none. */
  readonly file?: string;
  /** Whose file it is. Without a file: the user's. */
  readonly origin: ConfigOrigin;
  /** Whether the file names a provider; if not, detection continues. */
  readonly hasProvider: boolean;
  /** Whether the file says how requests are retried. */
  readonly hasRetry: boolean;
  /** Settings that are ignored, each with its path. */
  readonly warnings: readonly string[];
}

const FILE = 'config.json';

/**
 * Reads the config: the file of `--config`, else `config.json` of the current folder if the user approved it, else the user's own file. A missing
 * file is an error only if it was named; any mistake in a file that is used is one.
 */
export async function loadConfig(flags: Flags, host: Host, output: Output): Promise<LoadedConfig> {
  if (flags.config !== undefined) {
    const text = await readText(resolve(host.cwd, flags.config), '--config', flags.config);
    if (text === undefined) throw usageError(`--config: "${flags.config}" cannot be read (ENOENT).`);
    return toConfig(parseText(text), flags.config, 'user', host.env, flags);
  }
  const project = await loadProject(flags, host, output);
  if (project !== undefined) return project;
  const own = join(configFolder(host), FILE);
  const text = await readText(own, 'config');
  if (text !== undefined) return toConfig(parseText(text), own, 'user', host.env, flags);
  if (flags.agent !== undefined) throw usageError('--agent needs a config file with "agents": give --config.');
  return { config: fromConfig({}).config, origin: 'user', hasProvider: false, hasRetry: false, warnings: [] };
}

/** The config of the project in the current folder, if it has one that this program can read and the user approves. */
async function loadProject(flags: Flags, host: Host, output: Output): Promise<LoadedConfig | undefined> {
  const path = resolve(host.cwd, FILE);
  const text = await readText(path, 'config').catch(() => undefined);
  const parsed = text === undefined ? undefined : parseText(text);
  if (text === undefined || !isOurs(parsed)) return undefined;
  const env = variablesFor(text, FILE, host.env);
  const loaded = toConfig(parsed, FILE, 'project', env, flags);
  checkHeaders(loaded.config, FILE);
  checkOptions(loaded.config, FILE);
  if (!(await isApproved(path, text, loaded.config, host, output))) return undefined;
  await checkMemory(loaded.config, FILE, resolve(host.cwd, flags.workspace ?? '.'), host.cwd);
  return loaded;
}

/** Whether a `config.json` is meant for this program: it has one of its blocks. Other programs have files of this name, too. */
function isOurs(parsed: unknown): boolean {
  return CONFIG_KEYS.some((key) => has(parsed, key));
}

/** The JSON of a file; its text if that is not valid JSON, so that `fromConfig` says where it breaks. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return text;
  }
}

function toConfig(
  parsed: unknown,
  file: string,
  origin: ConfigOrigin,
  env: Host['env'],
  { agent }: Flags,
): LoadedConfig {
  const { config, warnings } = fromConfig(parsed, { file, env });
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

/** The config of the agent that `--agent` names, with the limits and the memory of the file. */
function chooseAgent(config: AgentConfig, name: string, file: string): AgentConfig {
  const { agents = {}, maxIterations, memory } = config;
  const chosen = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (chosen !== undefined)
    return {
      ...(maxIterations === undefined ? {} : { maxIterations }),
      ...(memory === undefined ? {} : { memory }),
      ...chosen,
    };
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
