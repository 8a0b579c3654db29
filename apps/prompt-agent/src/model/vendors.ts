import { fromEnvironment } from '@kernel/providers';

interface Vendor {
  readonly origin?: string;
  /** Where `v1/models` is below the origin, if not right there; `none` for an API that lists no models. */
  readonly modelsAt?: string;
  /** Environment variables that may hold the key; the first that is set is used. */
  readonly keys: readonly string[];
  /** True where a key in the environment, or a kept one, chooses this vendor. Otherwise it must be named. */
  readonly isChosenByKey?: boolean;
}

export const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  ['openai', { origin: 'https://api.openai.com', keys: ['OPENAI_API_KEY'], isChosenByKey: true }],
  ['anthropic', { origin: 'https://api.anthropic.com', keys: ['ANTHROPIC_API_KEY'], isChosenByKey: true }],
  [
    'gemini',
    {
      origin: 'https://generativelanguage.googleapis.com',
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      isChosenByKey: true,
    },
  ],
  ['azure', { modelsAt: 'none', keys: ['AZURE_OPENAI_API_KEY'] }],
  ['openrouter', { origin: 'https://openrouter.ai', modelsAt: '/api', keys: ['OPENROUTER_API_KEY'] }],
  ['groq', { origin: 'https://api.groq.com', modelsAt: '/openai', keys: ['GROQ_API_KEY'] }],
  ['mistral', { origin: 'https://api.mistral.ai', keys: ['MISTRAL_API_KEY'] }],
  ['deepseek', { origin: 'https://api.deepseek.com', keys: ['DEEPSEEK_API_KEY'] }],
  ['together', { origin: 'https://api.together.xyz', keys: ['TOGETHER_API_KEY'] }],
  ['xai', { origin: 'https://api.x.ai', keys: ['XAI_API_KEY'] }],
  ['bedrock', { modelsAt: 'none', keys: ['AWS_BEARER_TOKEN_BEDROCK'] }],
  // It has the key of `openai`, which is chosen.
  ['openai-responses', { origin: 'https://api.openai.com', keys: ['OPENAI_API_KEY'] }],
]);

/** Whether an address is the vendor's own: no address means that. */
export function isVendorAddress(provider: string, baseUrl: string | undefined): boolean {
  const origin = VENDORS.get(provider)?.origin;
  return baseUrl === undefined || (origin !== undefined && URL.parse(baseUrl)?.origin === origin);
}

/** The environment variable that a request to the vendor's own address would need; undefined where there is a key, or it is none of those that need one. */
export function missingKey(name: string, baseUrl: string | undefined, hasKey: boolean): string | undefined {
  const vendor = VENDORS.get(name);
  return hasKey || vendor?.origin === undefined || !isVendorAddress(name, baseUrl) ? undefined : vendor.keys[0];
}

/**
 * Returns the address that the user's environment has for a vendor: `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL`, `OLLAMA_HOST`, `AZURE_OPENAI_ENDPOINT`, or
 * `AWS_ENDPOINT_URL_BEDROCK_RUNTIME`, as the vendors' own clients read them.
 */
export function addressFor(provider: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  switch (provider) {
    case 'openai':
    case 'openai-responses':
    case 'anthropic':
    case 'ollama':
      return fromEnvironment({ name: provider }, env).baseUrl;
    case 'azure':
      return valueOf('AZURE_OPENAI_ENDPOINT', env);
    case 'bedrock':
      return valueOf('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', env);
    default:
      return undefined;
  }
}

/** The version of Azure's API that is asked for where neither a config nor the environment names one. */
const AZURE_API_VERSION = '2024-10-21';

/** What Azure and Bedrock need besides an address and a key, and the config lacks: from the model and the environment. */
export function vendorDefaults(
  provider: string,
  model: string,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  switch (provider) {
    case 'azure':
      return {
        ...(model === '' ? {} : { deployment: model }),
        apiVersion: valueOf('OPENAI_API_VERSION', env) ?? AZURE_API_VERSION,
        authType: 'api_key',
      };
    case 'bedrock': {
      const region = valueOf('AWS_REGION', env) ?? valueOf('AWS_DEFAULT_REGION', env);
      return region === undefined ? {} : { region };
    }
    default:
      return {};
  }
}

function valueOf(name: string, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

export function keyFor(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly token: string } | undefined {
  for (const variable of VENDORS.get(provider)?.keys ?? []) {
    const token = env[variable]?.trim();
    if (token !== undefined && token !== '') return { variable, token };
  }
  return undefined;
}
