import type { Wire } from '../wire/wire.ts';
import { type ChatSettings, type ChatWireConfig, resolveChat } from './config.ts';
import { createChatDecoder } from './reply/decode.ts';
import { embed } from './embed.ts';
import { createChatEncoder } from './encode.ts';
import { transcribe } from './transcribe.ts';

export const chatWire: Wire<ChatWireConfig, ChatSettings> = {
  resolve: resolveChat,
  createEncoder: createChatEncoder,
  createDecoder: createChatDecoder,
  structuredOutput: ({ responseFormat, rulesOf, schemaWithTools }, model) => {
    if (responseFormat !== 'schema' || rulesOf(model).replyFormat !== 'schema') return 'tool-call';
    return schemaWithTools ? 'schema' : 'schema-without-tools';
  },
  embed,
  transcribe,
};
