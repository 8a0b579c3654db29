import { isObject } from '@kernel/internal';
import { type JsonObject } from '@kernel/protocol';
import { agentSchema, kernelFileSchema } from './agent-schema.ts';
import { expandVariables } from './expand-variables.ts';
import { configErrors, parseConfig } from './parse-config.ts';
import { expected } from './setting-schemas.ts';
import type { ParsedConfig } from './types.ts';

/** Where a config comes from. */
export interface ConfigSource {
  /** The name of the file, for error texts. Default `config`. */
  readonly file?: string | undefined;
  /** The variables that `${NAME}` in the config refers to. Default: none. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Converts the JSON config of `prompt-agent`, as text or parsed, to typed data with all defaults. Reads neither files nor the environment. A file
 * that has the agent in a block `agent` is accepted too.
 *
 * An explicit `0`, `false` or `""` is kept. Throws `CONFIG_INVALID` with file, path and what was expected, for all errors at once.
 *
 * @example
 * ```ts
 * import { clientFromConfig, fromConfig } from '@kernel/agent/config';
 * import * as providers from '@kernel/providers';
 *
 * const { config, warnings } = fromConfig({ provider: { name: 'ollama' }, model: { name: 'qwen3' } });
 * const client = clientFromConfig(config, providers);
 * ```
 */
export function fromConfig(json: unknown, source: ConfigSource = {}): ParsedConfig {
  const { file = 'config', env = {} } = source;
  const parsed = typeof json === 'string' ? parseText(json, file) : json;
  if (!isJsonObject(parsed)) throw configErrors(file, [`(root): ${expected('a JSON object')({ input: parsed })}`]);
  const errors: string[] = [];
  const expanded = expandVariables(parsed, env, errors);
  const schema = Object.hasOwn(parsed, 'agent') ? kernelFileSchema : agentSchema;
  return parseConfig(schema, isJsonObject(expanded) ? expanded : {}, file, errors);
}

function parseText(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const where =
      error instanceof Error ? (/position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0] ?? 'its end') : '';
    throw configErrors(file, [`(root): ${expected(`valid JSON (it breaks at ${where})`)({ input: text })}`]);
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}
