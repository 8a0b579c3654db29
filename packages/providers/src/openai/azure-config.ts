import { type BaseUrl, toPathSegment } from '../config/base-url.ts';
import type { CommonConfig } from '../config/common-config.ts';
import { configError } from '../config/config-error.ts';
import type { ChatOptions } from './chat-options.ts';
import type { ChatQuirks } from './quirks.ts';

/** What Azure OpenAI needs in addition to the common settings. */
export interface AzureFields {
  /** The name of the model deployment. */
  readonly deployment: string;
  /** The `api-version` of the URL, such as `2024-10-21`. */
  readonly apiVersion: string;
  /** What kind of credential `token` is. */
  readonly authType: 'api_key' | 'bearer' | 'managed_identity';
}

/** The config of Azure OpenAI. */
export interface AzureConfig extends CommonConfig, AzureFields {
  /** The vendor. */
  readonly name: 'azure';
  /** The address of the resource, such as `https://name.openai.azure.com`. */
  readonly baseUrl: string;
  /** How the deployment differs from OpenAI. */
  readonly quirks?: ChatQuirks | undefined;
  /** Default model options; a request overrides them key by key. */
  readonly options?: ChatOptions | undefined;
}

const AUTH_TYPES = ['api_key', 'bearer', 'managed_identity'] as const;

export function resolveAzureEndpoint(config: CommonConfig & Partial<AzureFields>, base: BaseUrl) {
  const deployment = requireField(config, 'deployment', 'the name of the model deployment');
  const apiVersion = requireField(config, 'apiVersion', 'such as 2024-10-21');
  const authType = requireField(config, 'authType', AUTH_TYPES.join(', '));
  if (!AUTH_TYPES.some((known) => known === authType)) {
    throw configError('azure', `authType is "${authType}".`, `Use ${AUTH_TYPES.join(', ')}.`);
  }
  if (authType === 'managed_identity' && typeof config.token !== 'function') {
    throw configError(
      'azure',
      'authType "managed_identity" needs token to be a function.',
      'Use azureToken(), or an async function that fetches a token of the identity; it is called again after a 401.',
    );
  }
  const basePath = base.path.endsWith('/openai') ? base.path : `${base.path}/openai`;
  const segment = toPathSegment(deployment);
  const query = new URLSearchParams(base.query);
  query.set('api-version', apiVersion);
  return {
    path: (operation: string) => `${basePath}/deployments/${segment}/${operation}?${query.toString()}`,
    authorize: (token: string): Readonly<Record<string, string>> =>
      authType === 'api_key' ? { 'api-key': token } : { authorization: `Bearer ${token}` },
  };
}

function requireField(config: Partial<AzureFields>, field: keyof AzureFields, hint: string): string {
  const value = config[field];
  if (typeof value === 'string' && value !== '') return value;
  throw configError('azure', `${field} is missing.`, `Set ${field}: ${hint}.`);
}
