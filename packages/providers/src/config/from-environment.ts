import { node } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
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

const VARIABLES: ReadonlyMap<string, string> = new Map([
  ['openai', 'OPENAI_BASE_URL'],
  ['openai-responses', 'OPENAI_BASE_URL'],
  ['anthropic', 'ANTHROPIC_BASE_URL'],
  ['ollama', 'OLLAMA_HOST'],
]);

export function addressVariable(provider: string): string | undefined {
  return VARIABLES.get(provider);
}

/** `OLLAMA_HOST` is `host`, `host:port`, `:port` or a URL. The default port is 11434, or that of the scheme if there is one. */
export function ollamaAddress(value: string): string {
  const hasScheme = value.includes('://');
  const text = hasScheme ? value : `http://${/^:\d/.test(value) ? `127.0.0.1${value}` : bracketed(value)}`;
  const url = URL.parse(text);
  // The check of baseUrl throws for anything else.
  if (url === null) return value;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  if (!hasScheme && url.port === '' && !/:80\/?$/.test(value)) url.port = '11434';
  return url.href.replace(/\/$/, '');
}

/** An IPv6 address is written without brackets if no port follows. */
function bracketed(value: string): string {
  return /^[0-9a-f:]+$/i.test(value) && value.split(':').length > 2 ? `[${value}]` : value;
}
