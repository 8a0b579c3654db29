import { KernelError } from '@kernel/protocol';
import { anthropicBatches } from '../anthropic/batches.ts';
import { anthropicWire } from '../anthropic/wire.ts';
import { geminiBatches } from '../gemini/batches.ts';
import { geminiWire } from '../gemini/wire.ts';
import { openaiBatches } from '../openai/batches.ts';
import { CHAT_PRESETS } from '../openai/presets.ts';
import { chatWire } from '../openai/wire.ts';
import { responsesWire } from '../responses/wire.ts';
import { createWireBatches } from './create-batches.ts';
import type { AnthropicConfig } from '../anthropic/config.ts';
import type { GeminiConfig } from '../gemini/config.ts';
import type { ChatConfig } from '../openai/config.ts';
import type { ResponsesConfig } from '../responses/config.ts';
import type { Batches } from './types.ts';

/** The config of a provider whose vendor has batches: OpenAI by either of its APIs, a server that has its batches too, Anthropic or Gemini. */
export type BatchConfig = ChatConfig | ResponsesConfig | AnthropicConfig | GeminiConfig;

/** Creates the batches of a provider from its config. Throws `PROVIDER_UNSUPPORTED` for a vendor without, and `CONFIG_INVALID` for a bad config. */
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
      if (name !== 'azure' && name !== 'ollama' && CHAT_PRESETS.has(name))
        return createWireBatches(chatWire, config, (api, { path }) => openaiBatches(api, path, '/v1/chat/completions'));
      throw new KernelError('PROVIDER_UNSUPPORTED', `There are no batches for "${name}".`, {
        hint: 'Use openai, openai-responses, anthropic, gemini, or a server that has the batches of OpenAI.',
      });
  }
}
