import type { JsonObject } from '@kernel/protocol';
import { expandVariables } from './expand-variables.ts';
import { type Fields, isJsonObject, readFields } from './fields.ts';
import { createProblems, type Problems } from './problems.ts';
import type { AgentConfig, ConnectionConfig, ModelConfig, ParsedConfig, ProviderChoice } from './types.ts';

/** Where a config comes from. */
export interface ConfigSource {
  /** The name of the file, for error texts. Default `config`. */
  readonly file?: string | undefined;
  /** The variables that `${NAME}` in the config refers to. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Converts the JSON config of `prompt-agent`, as text or parsed, to typed data with all defaults. Reads neither files nor the environment.
 *
 * An explicit `0`, `false` or `""` is kept. Throws `CONFIG_INVALID` with file, path and what was expected, for all errors at once.
 */
export function fromConfig(json: unknown, { file = 'config', env = {} }: ConfigSource = {}): ParsedConfig {
  const problems = createProblems(file);
  const source = typeof json === 'string' ? parseText(json, problems) : json;
  if (!isJsonObject(source)) {
    if (source !== undefined) problems.error('', 'a JSON object', source);
    problems.throwIfErrors();
  }
  const expanded = expandVariables(isJsonObject(source) ? source : {}, env, problems);
  const config = readAgent(isJsonObject(expanded) ? expanded : {}, '', problems);
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

function readAgent(source: JsonObject, path: string, problems: Problems): AgentConfig {
  const fields = readFields(source, path, problems);
  const systemPrompt = fields.text('system_prompt');
  const maxIterations = fields.number('max_iterations', 0, true);
  const memoryFields = fields.has('memory') ? fields.fields('memory') : undefined;
  const memoryPath = memoryFields?.text('path');
  memoryFields?.rest('warn');
  const agents = fields.object('agents');
  const config: AgentConfig = {
    name: fields.text('name') ?? 'default-agent',
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    client: readClient(fields.fields('client')),
    provider: readProvider(fields.fields('provider')),
    model: readModel(fields.fields('model'), problems),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(memoryFields === undefined ? {} : { memory: memoryPath === undefined ? {} : { path: memoryPath } }),
    ...(agents === undefined
      ? {}
      : { agents: readAgents(agents, path === '' ? 'agents' : `${path}.agents`, problems) }),
  };
  fields.rest('warn');
  return config;
}

function readAgents(source: JsonObject, path: string, problems: Problems): Readonly<Record<string, AgentConfig>> {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => {
      if (isJsonObject(value)) return [[name, readAgent(value, `${path}.${name}`, problems)]];
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

function readProvider(fields: Fields): ProviderChoice {
  const name = fields.text('name') ?? 'ollama';
  const baseUrl = fields.text('base_url');
  const options = fields.fields('options');
  fields.rest('warn');
  const isAzure = name === 'azure';
  const token = options.text('token');
  const authHeader = options.text('auth_header');
  const deployment = options.text('deployment');
  const apiVersion = options.text('api_version');
  const auth = isAzure ? undefined : options.choice('auth_type', ['bearer', 'api_key', 'none']);
  const authType = isAzure ? options.choice('auth_type', ['api_key', 'bearer', 'managed_identity']) : undefined;
  return {
    name,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(token === undefined ? {} : { token }),
    ...(auth === undefined ? {} : { auth }),
    ...(authType === undefined ? {} : { authType }),
    ...(authHeader === undefined ? {} : { authHeader }),
    ...(deployment === undefined ? {} : { deployment }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    options: options.rest('keep'),
  };
}

function readModel(fields: Fields, problems: Problems): ModelConfig {
  const name = fields.text('name');
  const capabilities = fields.object('capabilities') ?? {};
  fields.rest('warn');
  const entries = Object.entries(capabilities).flatMap(([protocol, options]): [string, JsonObject][] => {
    if (isJsonObject(options)) return [[protocol, options]];
    problems.error(`${fields.path}.capabilities.${protocol}`, 'an object of options', options);
    return [];
  });
  return { ...(name === undefined ? {} : { name }), capabilities: Object.fromEntries(entries) };
}
