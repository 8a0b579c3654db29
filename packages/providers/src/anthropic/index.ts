import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { AnthropicConfig } from './config.ts';
import { anthropicWire } from './wire.ts';

export type { AnthropicConfig, AnthropicOptions } from './config.ts';
export type {
  DeferredTools,
  HostedMcpServer,
  ServerTool,
  ServerToolConfig,
  UserLocation,
} from '../config/server-tools.ts';
export { BASH_TOOL, MEMORY_TOOL, TEXT_EDITOR_TOOL } from './client-tools.ts';
export { bash, codeExecution, mcpServer, memory, textEditor, toolSearch, webFetch, webSearch } from './server-tools.ts';
export type { WebToolOptions } from './server-tools.ts';

/** Creates a provider over Anthropic's Messages API. */
export function anthropicProvider(config: UnnamedConfig<AnthropicConfig>): Provider {
  return wireProvider(anthropicWire, { ...config, name: config.name ?? 'anthropic' });
}
