import type { Wire, WireContext } from '../wire/wire.ts';
import { type ChatSettings, type ChatWireConfig, resolveChat } from './config.ts';
import { createChatDecoder } from './reply/decode.ts';
import { embed } from './embed.ts';
import { createChatEncoder } from './encode.ts';
import type { TranscribeRequest, Transcript } from '@kernel/protocol';
import { resolveOptions } from '../config/model-options.ts';
import { encodeForm } from '../http/form-data.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import { asFields, asNumber, asText } from '../json-fields.ts';
import { protocolError } from '../http/errors.ts';

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

const RESERVED_KEYS = new Set(['model', 'file']);

/** Reads JSON and plain-text replies. */
export async function transcribe(
  { client, redactor }: WireContext,
  settings: ChatSettings,
  request: TranscribeRequest,
): Promise<Transcript> {
  const { extra, temperature } = resolveOptions({}, request.options, RESERVED_KEYS);
  const fields = Object.entries({
    model: request.model,
    ...(temperature === undefined ? {} : { temperature }),
    ...extra,
  });
  const post = {
    path: settings.path('audio/transcriptions'),
    accept: 'application/json',
    ...encodeForm(fields, request.audio),
  };
  const text = await requestText(client, post, request.signal);
  if (!text.trimStart().startsWith('{') && !text.trimStart().startsWith('<')) return { text: text.trim() };
  const reply = asFields(parseJsonResponse(settings.name, text, redactor));
  const transcript = asText(reply?.['text']);
  if (transcript === undefined) {
    throw protocolError(settings.name, 'the reply has no text.');
  }
  const language = asText(reply?.['language']);
  const duration = asNumber(Number(reply?.['duration'] ?? Number.NaN));
  return {
    text: transcript,
    ...(language === undefined ? {} : { language }),
    ...(duration === undefined ? {} : { durationSeconds: duration }),
  };
}
