import { type BaseUrl, invalidConfig, type ProviderConfig } from '../config/provider-config.ts';

/** What Azure changes about the chat-completions wire: the path and the credential's header. @internal */
export interface AzureSettings {
  readonly path: (operation: string) => string;
  readonly authorize: (token: string) => Readonly<Record<string, string>>;
}

const AUTH_TYPES = ['api_key', 'bearer', 'managed_identity'] as const;

/** Resolves Azure's settings. Throws `CONFIG_INVALID` naming the first of `deployment`, `apiVersion`, `authType` that is missing. @internal */
export function azureSettings(config: ProviderConfig, base: BaseUrl): AzureSettings {
  const deployment = needed(config, 'deployment', 'the name of the model deployment');
  const apiVersion = needed(config, 'apiVersion', 'such as 2024-10-21');
  const authType = needed(config, 'authType', AUTH_TYPES.join(', '));
  if (!AUTH_TYPES.some((known) => known === authType)) {
    throw invalidConfig('azure', `authType is "${authType}".`, `Use ${AUTH_TYPES.join(', ')}.`);
  }
  if (authType === 'managed_identity' && typeof config.token !== 'function') {
    throw invalidConfig(
      'azure',
      'authType "managed_identity" needs token to be a function.',
      'Give an async function that fetches a token of the identity; it is asked again after a 401.',
    );
  }
  const root = base.path.endsWith('/openai') ? base.path : `${base.path}/openai`;
  const query = new URLSearchParams(base.search);
  query.set('api-version', apiVersion);
  return {
    path: (operation) => `${root}/deployments/${encodeURIComponent(deployment)}/${operation}?${query.toString()}`,
    authorize: (token) => (authType === 'api_key' ? { 'api-key': token } : { authorization: `Bearer ${token}` }),
  };
}

function needed(config: ProviderConfig, key: 'deployment' | 'apiVersion' | 'authType', hint: string): string {
  const value = config[key];
  if (typeof value === 'string' && value !== '') return value;
  throw invalidConfig('azure', `${key} is missing.`, `Set ${key}: ${hint}.`);
}
