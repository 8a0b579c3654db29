import { KernelError } from '@kernel/protocol';
import { anthropicBatches } from '../anthropic/batches.ts';
import { anthropicWire } from '../anthropic/wire.ts';
import { geminiBatches } from '../gemini/batches.ts';
import { geminiWire } from '../gemini/wire.ts';
import { openaiBatches } from '../openai/batches.ts';
import { isChatName } from '../openai/presets.ts';
import { chatWire } from '../openai/wire.ts';
import { responsesWire } from '../responses/wire.ts';
import { createWireBatches } from './wire-batches.ts';
import type { AnthropicConfig } from '../anthropic/config.ts';
import type { GeminiConfig } from '../gemini/config.ts';
import type { ChatConfig } from '../openai/config.ts';
import type { ResponsesConfig } from '../responses/config.ts';
import type { Batches } from './batch-api.ts';

/** The config of a provider whose vendor has batches: either API of OpenAI, a server compatible with its batches, Anthropic or Gemini. */
export type BatchConfig = ChatConfig | ResponsesConfig | AnthropicConfig | GeminiConfig;

/**
 * Creates a client for batches from the config of a provider. Throws `PROVIDER_UNSUPPORTED` for a vendor without batches, and `CONFIG_INVALID` for a bad config.
 *
 * @example
 * ```ts
 * import { createBatches } from '@kernel/providers/batches';
 *
 * const batches = createBatches({ name: 'openai', token: process.env['OPENAI_API_KEY'] ?? '' });
 * const messages = [{ role: 'user', content: 'Hi' }] as const;
 * const batch = await batches.submit([{ id: 'a', model: 'gpt-5.1', messages }]);
 * await batches.wait(batch.id);
 * for await (const result of batches.results(batch.id)) console.log(result.id);
 * ```
 */
export function createBatches(config: BatchConfig): Batches {
  const name: string = config.name;
  switch (config.name) {
    case 'anthropic':
      return createWireBatches(anthropicWire, config, anthropicBatches);
    case 'gemini':
      return createWireBatches(geminiWire, config, geminiBatches);
    case 'openai-responses':
      return createWireBatches(responsesWire, config, (api, { basePath, query }) =>
        openaiBatches(api, (operation) => `${basePath}/${operation}${query}`, '/v1/responses'),
      );
    default:
      if (isChatName(name))
        return createWireBatches(chatWire, config, (api, { path }) => openaiBatches(api, path, '/v1/chat/completions'));
      throw new KernelError('PROVIDER_UNSUPPORTED', `There are no batches for "${name}".`, {
        hint: 'Use openai, openai-responses, anthropic, gemini, or a server compatible with the batches of OpenAI.',
      });
  }
}
