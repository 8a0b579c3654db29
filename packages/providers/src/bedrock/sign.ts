import { KernelError } from '@kernel/protocol';
import { type AwsCredentials, invalidConfig, type ProviderConfig } from '../config/provider-config.ts';
import type { WireCall } from '../http/authenticated-client.ts';
import type { Redactor } from '../http/redact.ts';
import { loadSigner, type SignRequest } from './optional-packages.ts';
import type { BedrockSettings } from './config.ts';

/** Creates what signs calls with SigV4; nothing where a token is sent instead, or nothing at all. @internal */
export function createSign(
  config: ProviderConfig,
  settings: BedrockSettings,
  redactor: () => Redactor,
): ((call: WireCall) => Promise<Readonly<Record<string, string>>>) | undefined {
  const { region } = settings;
  if (config.token !== undefined || config.auth === 'none' || region === undefined) return undefined;
  const { hostname, host, protocol } = new URL(settings.origin);
  let loading: Promise<SignRequest> | undefined;
  const given = config.credentials;
  const source =
    given === undefined ? undefined : async () => (typeof given === 'function' ? askFor(given, config.name) : given);

  function check({ accessKeyId, secretAccessKey, sessionToken }: AwsCredentials): void {
    if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
      throw invalidConfig(config.name, 'credentials have no accessKeyId or secretAccessKey.', 'Give both as text.');
    }
    redactor().add(secretAccessKey);
    redactor().add(sessionToken);
  }

  return async (call) => {
    loading ??= loadSigner(region, source, check);
    const sign = await loading.catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    const [path = '', search = ''] = call.path.split('?', 2);
    const { host: _, ...headers } = await sign({
      method: 'POST',
      protocol,
      hostname,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      headers: { host, 'content-type': call.contentType },
      body: call.body,
    });
    return headers;
  };
}

async function askFor(source: () => Promise<AwsCredentials>, provider: string): Promise<AwsCredentials> {
  try {
    return await source();
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('CONFIG_INVALID', `${provider}: the credentials function failed.`, { cause: error });
  }
}
