import { node } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { addressVariable, ollamaAddress } from './environment-address.ts';
import type { CommonConfig } from './common-config.ts';
import type { ProviderConfig } from './provider-config.ts';

const KEYS = {
  openai: 'OPENAI_API_KEY',
  'openai-responses': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  ollama: undefined,
} as const;

type EnvironmentConfig = ProviderConfig & { readonly name: keyof typeof KEYS };

type Environment = Readonly<Record<string, string | undefined>>;
type ReadVariable = (variable: string) => string | undefined;

/** Creates a token source that reads an environment variable at each call. The call throws `CONFIG_INVALID` when the variable is unset or empty. */
export function fromEnvironment(variable: string): () => string;
/**
 * Returns a config with the address and the key of its vendor from the environment (default `process.env`): `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` or
 * `OLLAMA_HOST`, read now, and `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`, read at each request. Fields of the config are kept. A config with its own
 * `baseUrl` gets no key, so that a key is only sent to the vendor or to the address of the environment.
 */
export function fromEnvironment<const Config extends EnvironmentConfig>(
  config: Config,
  environment?: Environment,
): Config & Pick<CommonConfig, 'baseUrl' | 'token'>;
export function fromEnvironment(
  source: string | EnvironmentConfig,
  environment?: Environment,
): (() => string) | EnvironmentConfig {
  const read = (variable: string): string | undefined => {
    const value = (environment ?? node.process?.env ?? {})[variable]?.trim();
    return value === '' ? undefined : value;
  };
  return typeof source === 'string' ? tokenOf(source, read) : configOf(source, read);
}

function tokenOf(variable: string, read: ReadVariable): () => string {
  return () => {
    const value = read(variable);
    if (value !== undefined) return value;
    throw new KernelError('CONFIG_INVALID', `The environment variable ${variable} is not set.`, {
      hint: `Set ${variable} to the key, or use another token source.`,
      data: { variable },
    });
  };
}

function configOf(config: EnvironmentConfig, read: ReadVariable): EnvironmentConfig {
  const { baseUrl, name, token } = config;
  if (!Object.hasOwn(KEYS, name)) {
    throw new KernelError('CONFIG_INVALID', `fromEnvironment has no variables for "${name as string}".`, {
      hint: `Known: ${Object.keys(KEYS).join(', ')}. For another one, set baseUrl and token: fromEnvironment('ITS_KEY').`,
    });
  }
  const address = baseUrl === undefined ? addressOf(name, read) : undefined;
  const key = KEYS[name];
  const getsKey = token === undefined && baseUrl === undefined && key !== undefined;
  return {
    ...config,
    ...(address === undefined ? {} : { baseUrl: address }),
    ...(getsKey ? { token: tokenOf(key, read) } : {}),
  };
}

function addressOf(name: keyof typeof KEYS, read: ReadVariable): string | undefined {
  const variable = addressVariable(name);
  const value = variable === undefined ? undefined : read(variable);
  return value === undefined || name !== 'ollama' ? value : ollamaAddress(value);
}
