import { checkKeys, type JsonObject, type KeysOf, optionKeys, type ModelOptions } from '@kernel/protocol';
import type { CommonConfig } from '../config/common-config.ts';
import { configKeys } from '../config/check-config.ts';
import type { ServerToolConfig } from '../config/server-tools.ts';
import { configError } from '../config/config-error.ts';
import { resolveWireSettings, type WireSettings } from '../config/wire-settings.ts';

/** The config of Bedrock's Converse API. */
export interface BedrockConfig extends BedrockWireConfig {
  /** The vendor. */
  readonly name: 'bedrock';
  /** Default model options; a request overrides them key by key. */
  readonly options?: BedrockOptions | undefined;
}

/** Model options of the Converse API. It has no `seed`: it is left out with a warning, and so is what the model does not take. */
export interface BedrockOptions extends ModelOptions {
  /** How much the model may think, in the model's own field: that of Claude, Nova 2 or one of OpenAI's models. Others have none. */
  readonly reasoningEffort?: ModelOptions['reasoningEffort'];
  /** Fields of the request that only this model knows. */
  readonly additionalModelRequestFields?: JsonObject | null | undefined;
  /** A guardrail to apply. */
  readonly guardrailConfig?: JsonObject | null | undefined;
}

/** A config for the Converse API under any name. @internal */
export interface BedrockWireConfig extends CommonConfig {
  /** The AWS region, such as `us-east-1`. Needed for signatures, and where there is no `baseUrl`. */
  readonly region?: string | undefined;
  /** The AWS credentials, or a function that returns them. Absent, and without `token`: the credential chain of the AWS SDK is used. */
  readonly credentials?: AwsCredentials | (() => Promise<AwsCredentials>) | undefined;
  /** The vendor's own tools, offered in every request, such as `{ systemTool: { name: 'nova_grounding' } }`. */
  readonly serverTools?: readonly ServerToolConfig[] | undefined;
  /** A named profile of the shared AWS configuration, whose credentials sign the requests. Not together with `credentials` or `token`. */
  readonly profile?: string | undefined;
}

/** What AWS requests are signed with. */
export interface AwsCredentials {
  /** The id of the access key. */
  readonly accessKeyId: string;
  /** The secret access key. */
  readonly secretAccessKey: string;
  /** The token of temporary credentials. */
  readonly sessionToken?: string | undefined;
}

export interface BedrockSettings extends WireSettings {
  readonly region: string | undefined;
}

const CREDENTIALS: KeysOf<AwsCredentials> = { accessKeyId: true, secretAccessKey: true, sessionToken: true };
const CREDENTIAL_KEYS = optionKeys<AwsCredentials>(CREDENTIALS);
const KEYS = configKeys({ region: true, credentials: true, profile: true, serverTools: true });

export function resolveBedrock(config: BedrockWireConfig): BedrockSettings {
  const { auth, baseUrl, credentials, name, profile, region, token } = config;
  if (profile !== undefined && (credentials ?? token) !== undefined)
    throw configError(name, 'profile has no effect beside credentials or token.', 'Keep one of them.');
  if (credentials !== undefined && typeof credentials !== 'function')
    checkKeys(name, credentials, CREDENTIAL_KEYS, 'credentials.');
  const needsSignature = token === undefined && auth !== 'none';
  if (region === undefined && (baseUrl === undefined || needsSignature)) {
    throw configError(name, 'region is missing.', 'Set region, such as us-east-1.');
  }
  if (region !== undefined && !/^[a-z0-9-]{1,40}$/.test(region)) {
    throw configError(name, `region is "${region}".`, 'Write it like us-east-1.');
  }
  const regionalUrl = `https://bedrock-runtime.${region ?? ''}.amazonaws.com`;
  return {
    ...resolveWireSettings(config, { baseUrl: regionalUrl, basePath: '', keys: KEYS }),
    region,
  };
}
