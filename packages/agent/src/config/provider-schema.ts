import type { JsonObject } from '@kernel/protocol';
import * as z from 'zod';
import { block, jsonObject, oneOf, present, text } from './setting-schemas.ts';
import type { ProviderChoice } from './types.ts';

type VendorSettings = Omit<ProviderChoice, 'name' | 'baseUrl'>;
type Refine = (key: string, problem: string) => void;
type Texts = Readonly<Record<string, string | undefined>>;

const azureOptions = z.looseObject({
  auth_type: oneOf(['api_key', 'bearer', 'managed_identity']).optional(),
  token: text.optional(),
  deployment: text.optional(),
  api_version: text.optional(),
  resource: text.optional(),
  client_id: text.optional(),
});

const bedrockOptions = z.looseObject({
  region: text.optional(),
  token: text.optional(),
  auth_type: oneOf(['default', 'static', 'profile']).optional(),
  access_key_id: text.optional(),
  secret_access_key: text.optional(),
  session_token: text.optional(),
  profile: text.optional(),
});

const otherOptions = z.looseObject({
  token: text.optional(),
  auth_type: oneOf(['bearer', 'api_key', 'none']).optional(),
  auth_header: text.optional(),
});

const azure = azureOptions.transform((options, { issues }): VendorSettings => {
  const { auth_type: authType, token, deployment, api_version: apiVersion, resource, client_id, ...rest } = options;
  const refuse = refusalsIn(issues);
  const isManaged = authType === 'managed_identity';
  if (isManaged) refuseUnused(refuse, { token }, 'auth_type "api_key" or "bearer"');
  else refuseUnused(refuse, { resource, client_id }, 'auth_type "managed_identity"');
  return {
    ...present({
      authType,
      token: isManaged ? undefined : token,
      deployment,
      apiVersion,
      identity: isManaged ? present({ scope: resource, clientId: client_id }) : undefined,
    }),
    options: toJson(rest),
  };
});

const bedrock = bedrockOptions.transform((options, { issues }): VendorSettings => {
  const { region, token, auth_type, access_key_id, secret_access_key, session_token, profile, ...rest } = options;
  const refuse = refusalsIn(issues);
  const isStatic = auth_type === 'static';
  if (isStatic) requireAll(refuse, { access_key_id, secret_access_key }, 'auth_type "static"');
  else refuseUnused(refuse, { access_key_id, secret_access_key, session_token }, 'auth_type "static"');
  if (auth_type === 'profile') requireAll(refuse, { profile }, 'auth_type "profile"');
  else refuseUnused(refuse, { profile }, 'auth_type "profile"');
  if (auth_type !== undefined) refuseUnused(refuse, { token }, 'no auth_type');
  const credentials = isStatic
    ? {
        accessKeyId: access_key_id ?? '',
        secretAccessKey: secret_access_key ?? '',
        ...present({ sessionToken: session_token }),
      }
    : undefined;
  return { ...present({ region, token, profile, credentials }), options: toJson(rest) };
});

const other = otherOptions.transform((options, { issues }): VendorSettings => {
  const { token, auth_type: auth, auth_header, ...rest } = options;
  const refuse = refusalsIn(issues);
  if (auth === 'none') refuseUnused(refuse, { token }, 'auth_type "bearer" or "api_key"');
  if (auth === 'none' || auth === 'bearer') refuseUnused(refuse, { auth_header }, 'auth_type "api_key"');
  return { ...present({ token, auth, authHeader: auth_header }), options: toJson(rest) };
});

/** The provider block. A setting that its way of authentication does not use is an error: it would have no effect. */
export const providerSchema = block({
  name: text.default('ollama'),
  base_url: text.optional(),
  options: jsonObject.prefault({}),
}).transform(({ name, base_url: baseUrl, options }, { issues }): ProviderChoice => {
  const schema = name === 'azure' ? azure : name === 'bedrock' ? bedrock : other;
  const { data, error } = schema.safeParse(options);
  for (const { message, path } of error?.issues ?? [])
    issues.push({ code: 'custom', message, path: ['options', ...path], input: undefined });
  return { name, ...present({ baseUrl }), ...(data ?? { options: {} }) };
});

function refusalsIn(issues: z.core.$ZodRawIssue[]): Refine {
  return (key, message) => void issues.push({ code: 'custom', message, path: [key], input: undefined });
}

/** Empty text counts as absent: the upstream's programs write it for settings that they do not use. */
function refuseUnused(refuse: Refine, settings: Texts, needs: string): void {
  for (const [key, value] of Object.entries(settings))
    if (value !== undefined && value !== '') refuse(key, `has no effect without ${needs}`);
}

function requireAll(refuse: Refine, settings: Texts, because: string): void {
  for (const [key, value] of Object.entries(settings))
    if (value === undefined || value === '') refuse(key, `is missing; ${because} needs it`);
}

function toJson(rest: object): JsonObject {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is left of a JSON object
  return rest as JsonObject;
}
