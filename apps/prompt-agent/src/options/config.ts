import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type AgentConfig, fromConfig } from '@kernel/agent/config';
import type { Flags } from './flags.ts';
import type { Host } from '../host.ts';
import { usageError } from '../usage-error.ts';

/** The config in effect. */
export interface LoadedConfig {
  /** The settings, with defaults. */
  readonly config: AgentConfig;
  /** Whether there was a file. */
  readonly isFile: boolean;
  /** Whether the file names a provider; if not, detection continues. */
  readonly hasProvider: boolean;
  /** Whether the file says how requests are retried. */
  readonly hasRetry: boolean;
  /** Settings that are ignored, each with its path. */
  readonly warnings: readonly string[];
}

const DEFAULT_FILE = 'config.json';

/** Reads the config file. A missing default file is not an error; a missing named file and any mistake in a file are. */
export async function loadConfig(flags: Flags, host: Host): Promise<LoadedConfig> {
  const file = flags.config ?? DEFAULT_FILE;
  const text = await readFile(resolve(host.cwd, file), 'utf8').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (flags.config === undefined && code === 'ENOENT') return undefined;
    throw usageError(`--config: "${file}" cannot be read (${code}).`);
  });
  if (text === undefined && flags.agent !== undefined)
    throw usageError(`--agent needs a config file with "agents": give --config.`);
  if (text === undefined)
    return { config: fromConfig({}).config, isFile: false, hasProvider: false, hasRetry: false, warnings: [] };
  const { config, warnings } = fromConfig(text, { file, env: host.env });
  const source = blockOf(JSON.parse(text.replace(/^\uFEFF/, '')), flags.agent);
  return {
    config: flags.agent === undefined ? config : chooseAgent(config, flags.agent, file),
    isFile: true,
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
