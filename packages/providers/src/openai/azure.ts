import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { AzureConfig } from './azure-config.ts';
import { chatWire } from './wire.ts';

export type { AzureConfig } from './azure-config.ts';

/**
 * Creates a provider of Azure OpenAI: the chat-completions wire under a deployment's path. Throws `CONFIG_INVALID` naming a setting that is missing.
 *
 * @example
 * ```ts
 * import { azureProvider } from '@kernel/providers/azure';
 *
 * const provider = azureProvider({ baseUrl: 'https://example.openai.azure.com', deployment: 'a-deployment', apiVersion: '2024-10-21', authType: 'api_key', token: process.env['AZURE_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'a-deployment', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function azureProvider(config: Omit<UnnamedConfig<AzureConfig>, 'name'>): Provider {
  return wireProvider(chatWire, { ...config, name: 'azure' });
}
