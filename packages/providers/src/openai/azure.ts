import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { AzureConfig } from './azure-config.ts';
import { chatWire } from './wire.ts';

export type { AzureConfig } from './azure-config.ts';

/** Creates a provider of Azure OpenAI: the chat-completions wire under a deployment's path. Throws `CONFIG_INVALID` naming a setting that is missing. */
export function azureProvider(config: Omit<UnnamedConfig<AzureConfig>, 'name'>): Provider {
  return wireProvider(chatWire, { ...config, name: 'azure' });
}
