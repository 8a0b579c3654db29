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

/**
 * Creates a provider over Anthropic's Messages API.
 *
 * @example
 * ```ts
 * import { anthropicProvider } from '@kernel/providers/anthropic';
 *
 * const provider = anthropicProvider({ token: process.env['ANTHROPIC_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'claude-sonnet-4-5', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function anthropicProvider(config: UnnamedConfig<AnthropicConfig>): Provider {
  return wireProvider(anthropicWire, { ...config, name: config.name ?? 'anthropic' });
}
