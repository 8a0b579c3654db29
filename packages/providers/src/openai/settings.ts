import { invalidConfig, parseBaseUrl, type ProviderConfig } from '../config.ts';
import { azureSettings } from '../azure/settings.ts';
import type { ChatSettings } from './wire-types.ts';

/** A provider of this wire, resolved: where to, how to say who we are, and the dialect. @internal */
export interface ResolvedChat {
  readonly settings: ChatSettings;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

const BASE_URLS: ReadonlyMap<string, string> = new Map([
  ['openai', 'https://api.openai.com/v1'],
  ['ollama', 'http://localhost:11434'],
]);

/** Resolves a config for the chat-completions wire. Throws `CONFIG_INVALID` naming the setting that is missing or wrong. @internal */
export function resolveChat(config: ProviderConfig): ResolvedChat {
  const { name } = config;
  const written = config.baseUrl ?? BASE_URLS.get(name);
  if (written === undefined) {
    throw invalidConfig(name, 'baseUrl is missing.', 'Set the address of the API, such as https://host/v1.');
  }
  const base = parseBaseUrl(name, written);
  if (name === 'azure') {
    const azure = azureSettings(config, base);
    return {
      settings: { ...dialect(config, true), origin: base.origin, path: azure.path },
      authorize: azure.authorize,
    };
  }
  const root = name === 'ollama' && base.path === '' ? '/v1' : base.path;
  return {
    settings: {
      ...dialect(config, base.origin === 'https://api.openai.com'),
      origin: base.origin,
      path: (operation) => `${root}/${operation}${base.search}`,
    },
    authorize: authorizer(config),
  };
}

function dialect(config: ProviderConfig, official: boolean): Omit<ChatSettings, 'origin' | 'path'> {
  return {
    name: config.name,
    maxTokensField: config.maxTokensField ?? (official ? 'max_completion_tokens' : 'max_tokens'),
    reasoningField: config.reasoningField,
    sendStrict: config.sendStrict ?? true,
    streamUsage: config.streamUsage ?? true,
    options: config.options ?? {},
  };
}

function authorizer(config: ProviderConfig): ResolvedChat['authorize'] {
  const auth = config.auth ?? (config.authHeader === undefined ? 'bearer' : 'api_key');
  switch (auth) {
    case 'none':
      return () => ({});
    case 'api_key': {
      const header = (config.authHeader ?? 'X-API-Key').toLowerCase();
      return (token) => ({ [header]: token });
    }
    case 'bearer':
      return (token) => ({ authorization: `Bearer ${token}` });
    default:
      throw invalidConfig(config.name, `auth is "${String(auth)}".`, 'Use bearer, api_key or none.');
  }
}
