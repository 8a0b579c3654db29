import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import type { BedrockConfig } from './config.ts';
import { createBedrockProvider } from './provider.ts';

export type { AwsCredentials, BedrockConfig, BedrockOptions } from './config.ts';
export type { ServerTool, ServerToolConfig } from '../config/server-tools.ts';

/**
 * Creates a provider over Bedrock's Converse API: signed with SigV4, or with a Bedrock API key as `token`. Signatures, the credential chain
 * and the binary event stream come from optional packages that are loaded when they are needed; a missing one throws
 * `PROVIDER_UNSUPPORTED` with its name.
 *
 * @example
 * ```ts
 * import { bedrockProvider } from '@kernel/providers/bedrock';
 *
 * const provider = bedrockProvider({ region: 'eu-central-1' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'a-model-id', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function bedrockProvider(config: UnnamedConfig<BedrockConfig>): Provider {
  return createBedrockProvider({ ...config, name: config.name ?? 'bedrock' });
}
