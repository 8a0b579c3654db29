import { nearest } from '@kernel/internal';
import { checkKeys, type JsonObject, optionKeys } from '@kernel/protocol';
import { expandVariables } from './expand-variables.ts';
import { type Fields, isJsonObject, readFields } from './fields.ts';
import { createProblems, type Problems } from './problems.ts';
import { readProvider } from './read-provider.ts';
import { type AgentConfig, CAPABILITIES, type ConnectionConfig, type ModelConfig, type ParsedConfig } from './types.ts';

/** Where a config comes from. */
export interface ConfigSource {
  /** The name of the file, for error texts. Default `config`. */
  readonly file?: string | undefined;
  /** The variables that `${NAME}` in the config refers to. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

const SOURCE_KEYS = optionKeys<ConfigSource>(
  { file: true, env: true },
  { path: 'Use "file".', environment: 'Use "env".' },
);

/**
 * Converts the JSON config of `prompt-agent`, as text or parsed, to typed data with all defaults. Reads neither files nor the environment. The
 * file of the kernel program, with its `agent` block, reads as well.
 *
 * An explicit `0`, `false` or `""` is kept. Throws `CONFIG_INVALID` with file, path and what was expected, for all errors at once.
 */
export function fromConfig(json: unknown, source: ConfigSource = {}): ParsedConfig {
  checkKeys('fromConfig', source, SOURCE_KEYS);
  const { file = 'config', env = {} } = source;
  const problems = createProblems(file);
  const parsed = typeof json === 'string' ? parseText(json, problems) : json;
  if (!isJsonObject(parsed)) {
    if (parsed !== undefined) problems.error('', 'a JSON object', parsed);
    problems.throwIfErrors();
  }
  const expanded = expandVariables(isJsonObject(parsed) ? parsed : {}, env, problems);
  const config = readRoot(isJsonObject(expanded) ? expanded : {}, problems);
  problems.throwIfErrors();
  return { config, warnings: problems.warnings };
}

function parseText(text: string, problems: Problems): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const where =
      error instanceof Error ? (/position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? 'its end') : '';
    problems.error('', `valid JSON (it breaks at ${where})`, text);
    return undefined;
  }
}

/** Reads the whole file: an agent, or what the kernel program's file has around one, whose settings come before those of the agent. */
function readRoot(source: JsonObject, problems: Problems): AgentConfig {
  if (!Object.hasOwn(source, 'agent')) return readAgent(readFields(source, '', problems), problems);
  const fields = readFields(source, '', problems);
  const agent = readAgent(fields.fields('agent'), problems);
  const run = readRun(fields, problems);
  for (const key of ['system_prompt', 'max_iterations', 'memory', 'agents'])
    if (fields.has(key) && fields.fields('agent').has(key))
      problems.conflict(`agent.${key}`, `has no effect: ${key} beside "agent" comes before it`);
  for (const key of ['name', 'client', 'provider', 'model'].filter((each) => fields.has(each)))
    problems.conflict(key, `has no effect beside "agent"; it belongs into it: agent.${key}`);
  fields.fields('session').rest('warn');
  fields.rest('warn');
  return { ...agent, ...run };
}

type RunConfig = Pick<AgentConfig, 'systemPrompt' | 'maxIterations' | 'memory' | 'agents'>;

/** Reads what a run needs beside its agent. */
function readRun(fields: Fields, problems: Problems): RunConfig {
  const systemPrompt = fields.text('system_prompt');
  const maxIterations = fields.number('max_iterations', 0, true);
  const memoryFields = fields.has('memory') ? fields.fields('memory') : undefined;
  const memoryPath = memoryFields?.text('path');
  memoryFields?.rest('warn');
  const agents = fields.object('agents');
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(memoryFields === undefined ? {} : { memory: memoryPath === undefined ? {} : { path: memoryPath } }),
    ...(agents === undefined
      ? {}
      : { agents: readAgents(agents, fields.path === '' ? 'agents' : `${fields.path}.agents`, problems) }),
  };
}

function readAgent(fields: Fields, problems: Problems): AgentConfig {
  const config: AgentConfig = {
    name: fields.text('name') ?? 'default-agent',
    ...readRun(fields, problems),
    client: readClient(fields.fields('client')),
    provider: readProvider(fields.fields('provider'), problems),
    model: readModel(fields.fields('model'), problems),
  };
  fields.rest('warn');
  return config;
}

function readAgents(source: JsonObject, path: string, problems: Problems): Readonly<Record<string, AgentConfig>> {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => {
      if (isJsonObject(value)) {
        for (const key of ['agents', 'memory'])
          if (Object.hasOwn(value, key))
            problems.conflict(`${path}.${name}.${key}`, 'has no effect in one of several agents');
      }
      if (isJsonObject(value)) return [[name, readAgent(readFields(value, `${path}.${name}`, problems), problems)]];
      problems.error(`${path}.${name}`, 'an object', value);
      return [];
    }),
  );
}

function readClient(fields: Fields): ConnectionConfig {
  const retry = fields.fields('retry');
  const client: ConnectionConfig = {
    timeoutMs: fields.durationMs('timeout') ?? 120_000,
    retry: {
      maxRetries: retry.number('max_retries', 0, true) ?? 3,
      initialBackoffMs: retry.durationMs('initial_backoff') ?? 1000,
      maxBackoffMs: retry.durationMs('max_backoff') ?? 30_000,
      multiplier: retry.number('backoff_multiplier', 1, false) ?? 2,
      jitter: retry.boolean('jitter') ?? true,
    },
    connectionPoolSize: fields.number('connection_pool_size', 1, true) ?? 10,
    connectionTimeoutMs: fields.durationMs('connection_timeout') ?? 30_000,
  };
  retry.rest('warn');
  fields.rest('warn');
  return client;
}

function readModel(fields: Fields, problems: Problems): ModelConfig {
  const name = fields.text('name');
  const capabilities = fields.object('capabilities') ?? {};
  fields.rest('warn');
  const entries = Object.entries(capabilities).flatMap(([protocol, options]): [string, JsonObject][] => {
    const path = `${fields.path}.capabilities.${protocol}`;
    if (!CAPABILITIES.some((capability) => capability === protocol)) {
      const [near] = nearest(protocol, CAPABILITIES, 1);
      const hint = near === undefined ? `the capabilities are ${CAPABILITIES.join(', ')}` : `did you mean "${near}"?`;
      problems.conflict(path, `is not a capability; ${hint}`);
      return [];
    }
    if (isJsonObject(options)) {
      if (protocol !== 'tools' && Object.hasOwn(options, 'tool_choice'))
        problems.conflict(`${path}.tool_choice`, 'has no effect: only the capability "tools" has tools to choose from');
      return [[protocol, options]];
    }
    problems.error(path, 'an object of options', options);
    return [];
  });
  return { ...(name === undefined ? {} : { name }), capabilities: Object.fromEntries(entries) };
}
