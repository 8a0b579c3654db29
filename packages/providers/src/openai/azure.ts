import type { Provider } from '@kernel/protocol';
import type { ProviderConfig } from '../config/provider-config.ts';
import { openaiProvider } from './index.ts';

/** Creates a provider of Azure OpenAI: the chat-completions wire under a deployment's path. Needs `baseUrl`, `deployment`, `apiVersion` and `authType`. */
export function azureProvider(config: Omit<ProviderConfig, 'name'>): Provider {
  return openaiProvider({ ...config, name: 'azure' });
}
