import type { Provider } from '@kernel/protocol';
import type { UnnamedConfig } from '../config/common-config.ts';
import { wireProvider } from '../wire/wire.ts';
import type { ResponsesConfig } from './config.ts';
import { responsesWire } from './wire.ts';

export type { ResponsesConfig, ResponsesOptions } from './config.ts';
export type {
  DeferredTools,
  HostedMcpServer,
  ServerTool,
  ServerToolConfig,
  UserLocation,
} from '../config/server-tools.ts';
export { APPLY_PATCH_TOOL, MCP_APPROVAL_TOOL, SHELL_TOOL } from './client-tools.ts';
export {
  applyPatch,
  codeInterpreter,
  customTool,
  fileSearch,
  imageGeneration,
  mcpServer,
  shell,
  toolSearch,
  webSearch,
} from './server-tools.ts';

/**
 * Creates a provider over OpenAI's Responses API. The vendor stores nothing unless `options.store` says so.
 *
 * @example
 * ```ts
 * import { responsesProvider } from '@kernel/providers/responses';
 *
 * const provider = responsesProvider({ token: process.env['OPENAI_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * for await (const event of provider.stream({ model: 'gpt-5.1', messages }))
 *   if (event.type === 'text-delta') process.stdout.write(event.text);
 * ```
 */
export function responsesProvider(config: UnnamedConfig<ResponsesConfig>): Provider {
  return wireProvider(responsesWire, { ...config, name: config.name ?? 'openai-responses' });
}
