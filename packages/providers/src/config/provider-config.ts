import { type JsonObject, KernelError } from '@kernel/protocol';
import type { Timeouts } from '../http/timeouts.ts';
import type { ResponseLimits } from '../http/limits.ts';
import type { TokenSource } from './credentials.ts';

/** What a provider is made from. Only `name` is always needed; a vendor that needs more says so with `CONFIG_INVALID`. */
export interface ProviderConfig {
  /** The vendor; also the name in errors and in the trace of messages. */
  readonly name: string;
  /** As a user would write it: `http://127.0.0.1:11434` for Ollama, `…/v1` for OpenAI-like servers. */
  readonly baseUrl?: string | undefined;
  /** A key, or a function that fetches one. Absent: no credential is sent. */
  readonly token?: TokenSource | undefined;
  /** How the token is sent. Default `bearer`, or the vendor's own header; `api_key` puts it bare into `authHeader`. */
  readonly auth?: 'bearer' | 'api_key' | 'none' | undefined;
  /** The header for `api_key`. Default `X-API-Key`. */
  readonly authHeader?: string | undefined;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeouts?: Timeouts | undefined;
  readonly limits?: ResponseLimits | undefined;
  /** The most connections open at once. Default 10. */
  readonly connections?: number | undefined;
  /** Default model options; a request overrides them key by key. */
  readonly options?: JsonObject | undefined;
  /** Azure: the deployment's name. */
  readonly deployment?: string | undefined;
  /** Azure: the `api-version` of the URL. */
  readonly apiVersion?: string | undefined;
  /** Azure: what kind of credential `token` is. */
  readonly authType?: 'api_key' | 'bearer' | 'managed_identity' | undefined;
  /** Chat completions: the body field that limits the reply. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** Chat completions: the field in which the server wants a model's own reasoning back. Absent: it is not sent back. */
  readonly reasoningField?: 'reasoning' | 'reasoning_content' | undefined;
  /** Chat completions: false leaves `strict` out of function definitions. */
  readonly sendStrict?: boolean | undefined;
  /** Chat completions: false does not ask a stream for its usage, for servers that refuse `stream_options`. */
  readonly streamUsage?: boolean | undefined;
  /** Bedrock: the region, such as `us-east-1`. */
  readonly region?: string | undefined;
  /** Bedrock: the AWS credentials, or a function that gives them. Absent, and without `token`: the chain of the AWS SDK is asked. */
  readonly credentials?: AwsCredentials | (() => Promise<AwsCredentials>) | undefined;
}

/** What AWS signs requests with. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/** A base URL taken apart. @internal */
export interface BaseUrl {
  readonly origin: string;
  /** Without a slash at the end. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly search: string;
}

/** The error of a setting that is missing or wrong. @internal */
export function invalidConfig(provider: string, message: string, hint: string): KernelError {
  return new KernelError('CONFIG_INVALID', `${provider}: ${message}`, { hint });
}

/** Takes a base URL apart; throws `CONFIG_INVALID` for what is none, and for one that carries a password. @internal */
export function parseBaseUrl(provider: string, value: string): BaseUrl {
  const hint = 'Write it like https://host/v1, and put the credential into token.';
  if (!URL.canParse(value)) throw invalidConfig(provider, `baseUrl is no URL: "${value}".`, hint);
  const url = new URL(value);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw invalidConfig(provider, `baseUrl has the scheme "${url.protocol}", not http or https.`, hint);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalidConfig(provider, 'baseUrl carries a user name or password.', hint);
  }
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, ''), search: url.search };
}

/** Returns how a token is sent: bearer unless the config says otherwise. Throws `CONFIG_INVALID` for an unknown `auth`. @internal */
export function authorizer(config: ProviderConfig, usual = ''): (token: string) => Readonly<Record<string, string>> {
  const auth = config.auth ?? (config.authHeader === undefined && usual === '' ? 'bearer' : 'api_key');
  switch (auth) {
    case 'none':
      return () => ({});
    case 'api_key': {
      const header = (config.authHeader ?? (usual === '' ? 'X-API-Key' : usual)).toLowerCase();
      return (token) => ({ [header]: token });
    }
    case 'bearer':
      return (token) => ({ authorization: `Bearer ${token}` });
    default:
      throw invalidConfig(config.name, `auth is "${String(auth)}".`, 'Use bearer, api_key or none.');
  }
}
