import type { Redactor } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { configError } from '../config/config-error.ts';
import { JSON_TYPE, type Signer } from '../http/authenticated-client.ts';
import type { AwsCredentials, BedrockSettings, BedrockWireConfig } from './config.ts';
import { loadSigner, type SignRequest } from './optional-packages.ts';

export function createBedrockSigner(
  config: BedrockWireConfig,
  settings: BedrockSettings,
  redactor: Redactor,
): Signer | undefined {
  const { credentials, name } = config;
  const { region } = settings;
  if (config.token !== undefined || config.auth === 'none' || region === undefined) return undefined;
  const { hostname, host, protocol } = new URL(settings.origin);
  let loading: Promise<SignRequest> | undefined;
  const source =
    credentials === undefined
      ? undefined
      : async () => (typeof credentials === 'function' ? callSource(credentials, name) : credentials);

  function checkCredentials({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): void {
    if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
      throw configError(name, 'credentials have no accessKeyId or secretAccessKey.', 'Set both as text.');
    }
    redactor.add(secretAccessKey);
    redactor.add(sessionToken);
  }

  return async (request) => {
    loading ??= loadSigner(region, source, config.profile, checkCredentials);
    const sign = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const [path = '', query = ''] = request.path.split('?', 2);
    const { host: _, ...headers } = await sign({
      method: 'POST',
      protocol,
      hostname,
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: { host, 'content-type': request.contentType ?? JSON_TYPE },
      body: request.body ?? '',
    });
    return headers;
  };
}

async function callSource(source: () => Promise<AwsCredentials>, provider: string): Promise<AwsCredentials> {
  try {
    return await source();
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${provider}: the credentials function failed.`, { cause: error });
  }
}
