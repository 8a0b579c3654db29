import type { JsonObject } from '@kernel/protocol';
import type { AgentConfig, ClientConfig, ModelConfig, ParsedConfig, ProviderChoice } from './types.ts';
import { expandVariables } from './expand.ts';
import { type Fields, isObject, readFields } from './fields.ts';
import { createFindings, type Findings } from './findings.ts';

/** Where a config comes from and what its `${NAME}`s stand for. */
export interface ConfigSource {
  /** For messages. Default `config`. */
  readonly file?: string | undefined;
  /** Default: no variable is set. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Reads seed 000's JSON config, as text or parsed, into plain data in our own names. Reads no file and no environment itself.
 *
 * An explicit `0`, `false` or `""` is kept; absent fields get seed 000's defaults. Throws `CONFIG_INVALID` naming file, path and
 * what was expected, for all faults at once.
 */
export function fromConfig(json: unknown, { file = 'config', env = {} }: ConfigSource = {}): ParsedConfig {
  const findings = createFindings(file);
  const source = typeof json === 'string' ? parseText(json, findings) : json;
  if (!isObject(source)) {
    if (source !== undefined) findings.fault('', 'a JSON object', source);
    findings.finish();
  }
  const expanded = expandVariables(isObject(source) ? source : {}, env, findings);
  const options = readAgent(isObject(expanded) ? expanded : {}, '', findings);
  findings.finish();
  return { options, warnings: findings.warnings };
}

function parseText(text: string, findings: Findings): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const where =
      error instanceof Error ? (/position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? 'its end') : '';
    findings.fault('', `valid JSON (it breaks at ${where})`, text);
    return undefined;
  }
}

function readAgent(source: JsonObject, path: string, findings: Findings): AgentConfig {
  const fields = readFields(source, path, findings);
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
    model: readModel(fields.fields('model'), findings),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(memoryFields === undefined ? {} : { memory: memoryPath === undefined ? {} : { path: memoryPath } }),
    ...(agents === undefined
      ? {}
      : { agents: readAgents(agents, path === '' ? 'agents' : `${path}.agents`, findings) }),
  };
  fields.rest('warn');
  return config;
}

function readAgents(source: JsonObject, path: string, findings: Findings): Readonly<Record<string, AgentConfig>> {
  return Object.fromEntries(
    Object.entries(source).flatMap(([name, value]) => {
      if (isObject(value)) return [[name, readAgent(value, `${path}.${name}`, findings)]];
      findings.fault(`${path}.${name}`, 'an object', value);
      return [];
    }),
  );
}

function readClient(fields: Fields): ClientConfig {
  const retry = fields.fields('retry');
  const client: ClientConfig = {
    timeoutMs: fields.durationMs('timeout') ?? 120_000,
    retry: {
      maxRetries: retry.number('max_retries', 0, true) ?? 3,
      initialBackoffMs: retry.durationMs('initial_backoff') ?? 1000,
      maxBackoffMs: retry.durationMs('max_backoff') ?? 30_000,
      multiplier: retry.number('backoff_multiplier', 1, false) ?? 2,
      jitter: retry.flag('jitter') ?? true,
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

function readModel(fields: Fields, findings: Findings): ModelConfig {
  const name = fields.text('name');
  const capabilities = fields.object('capabilities') ?? {};
  fields.rest('warn');
  const entries = Object.entries(capabilities).flatMap(([protocol, options]): [string, JsonObject][] => {
    if (isObject(options)) return [[protocol, options]];
    findings.fault(`${fields.path}.capabilities.${protocol}`, 'an object of options', options);
    return [];
  });
  return { ...(name === undefined ? {} : { name }), capabilities: Object.fromEntries(entries) };
}
