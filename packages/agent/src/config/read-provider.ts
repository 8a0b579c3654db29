import type { Fields } from './fields.ts';
import type { Problems } from './problems.ts';
import type { ProviderChoice } from './types.ts';

const AZURE_AUTH = ['api_key', 'bearer', 'managed_identity'] as const;
const AWS_AUTH = ['default', 'static', 'profile'] as const;
const OTHER_AUTH = ['bearer', 'api_key', 'none'] as const;

/** Reads the provider block. A setting that its way of authentication does not use is an error: it would have no effect. */
export function readProvider(fields: Fields, problems: Problems): ProviderChoice {
  const name = fields.text('name') ?? 'ollama';
  const baseUrl = fields.text('base_url');
  const options = fields.fields('options');
  fields.rest('warn');
  const own = name === 'azure' ? readAzure : name === 'bedrock' ? readBedrock : readOther;
  return { name, ...present({ baseUrl }), ...own(options, problems), options: options.rest('keep') };
}

type VendorFields = Omit<ProviderChoice, 'name' | 'baseUrl' | 'options'>;

function readAzure(options: Fields, problems: Problems): VendorFields {
  const authType = options.choice('auth_type', AZURE_AUTH);
  const token = options.text('token');
  const deployment = options.text('deployment');
  const apiVersion = options.text('api_version');
  const scope = options.text('resource');
  const clientId = options.text('client_id');
  const isManaged = authType === 'managed_identity';
  if (isManaged) refuseUnused(options, problems, { token }, 'auth_type "api_key" or "bearer"');
  else refuseUnused(options, problems, { resource: scope, client_id: clientId }, 'auth_type "managed_identity"');
  return present({
    authType,
    token: isManaged ? undefined : token,
    deployment,
    apiVersion,
    identity: isManaged ? present({ scope, clientId }) : undefined,
  });
}

function readBedrock(options: Fields, problems: Problems): VendorFields {
  const region = options.text('region');
  const token = options.text('token');
  const authType = options.choice('auth_type', AWS_AUTH);
  const accessKeyId = options.text('access_key_id');
  const secretAccessKey = options.text('secret_access_key');
  const sessionToken = options.text('session_token');
  const profile = options.text('profile');
  const isStatic = authType === 'static';
  if (isStatic) {
    requireText(options, problems, 'access_key_id', accessKeyId, 'auth_type "static"');
    requireText(options, problems, 'secret_access_key', secretAccessKey, 'auth_type "static"');
  } else {
    const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken };
    refuseUnused(options, problems, keys, 'auth_type "static"');
  }
  if (authType === 'profile') requireText(options, problems, 'profile', profile, 'auth_type "profile"');
  else refuseUnused(options, problems, { profile }, 'auth_type "profile"');
  if (authType !== undefined) refuseUnused(options, problems, { token }, 'no auth_type');
  return present({
    region,
    token,
    profile,
    credentials: isStatic
      ? { accessKeyId: accessKeyId ?? '', secretAccessKey: secretAccessKey ?? '', ...present({ sessionToken }) }
      : undefined,
  });
}

function readOther(options: Fields, problems: Problems): VendorFields {
  const token = options.text('token');
  const auth = options.choice('auth_type', OTHER_AUTH);
  const authHeader = options.text('auth_header');
  if (auth === 'none') refuseUnused(options, problems, { token }, 'auth_type "bearer" or "api_key"');
  if (auth === 'none' || auth === 'bearer')
    refuseUnused(options, problems, { auth_header: authHeader }, 'auth_type "api_key"');
  return present({ token, auth, authHeader });
}

/** Empty text counts as absent: the upstream's programs write it for settings that they do not use. */
function refuseUnused(
  options: Fields,
  problems: Problems,
  settings: Readonly<Record<string, string | undefined>>,
  needs: string,
): void {
  for (const [key, value] of Object.entries(settings))
    if (value !== undefined && value !== '')
      problems.conflict(`${options.path}.${key}`, `has no effect without ${needs}`);
}

function requireText(
  options: Fields,
  problems: Problems,
  key: string,
  value: string | undefined,
  because: string,
): void {
  if (value === undefined || value === '')
    problems.conflict(`${options.path}.${key}`, `is missing; ${because} needs it`);
}

/** The object without the keys whose value is undefined. */
function present<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys and values are those of `fields`
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
