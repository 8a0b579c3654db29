import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createMessageBuilder, type DecoderContext } from '../wire/message-builder.ts';
import { createBodyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  // Not a value of the vendor's, but of servers that speak its API.
  ['FUNCTION_CALL', 'tool-calls'],
  ['MAX_TOKENS', 'length'],
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'].map(
    (reason) => [reason, 'filter'] as const,
  ),
]);

/** Creates the decoder of one generateContent reply: server-sent events, one JSON object, or a JSON array of chunks. @internal */
export function createGeminiDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  let finishReason: string | undefined;
  let blocked = false;
  let callCount = 0;

  function onEvent({ data }: SseEvent): void {
    if (data.trim() === '' || data.trim() === '[DONE]') return;
    const chunk = parseJson(data);
    if (chunk === undefined) throw builder.invalidJsonError(data);
    readChunk(chunk);
  }

  function readChunk(value: unknown): void {
    const error = findVendorError(value);
    if (error !== undefined) throw builder.vendorError(error);
    const chunk = asFields(value);
    if (chunk === undefined) return;
    builder.model(chunk['modelVersion']);
    builder.usage(usageOf(chunk['usageMetadata']));
    if (asText(asFields(chunk['promptFeedback'])?.['blockReason']) !== undefined) blocked = true;
    const candidate = asFields(asList(chunk['candidates'])[0]);
    if (candidate === undefined) return;
    for (const part of asList(asFields(candidate['content'])?.['parts'])) readPart(asFields(part) ?? {});
    finishReason = asText(candidate['finishReason']) ?? finishReason;
  }

  function readPart(part: Fields): void {
    const signature = asText(part['thoughtSignature']);
    const providerData = signature === undefined ? undefined : { thoughtSignature: signature };
    const call = asFields(part['functionCall']);
    if (call !== undefined) {
      // Each part is a complete call; two equal parts are two calls.
      const fragment = {
        index: callCount,
        id: asText(call['id']),
        name: asText(call['name']),
        arguments: call['args'],
      };
      callCount += 1;
      builder.call(providerData === undefined ? fragment : { ...fragment, providerData });
      return;
    }
    const text = asText(part['text']);
    if (text === undefined) return;
    if (part['thought'] === true) builder.reasoning(text);
    else builder.text(text);
    if (providerData !== undefined) builder.endPart(providerData);
  }

  function close(): void {
    if (finishReason === undefined) {
      if (blocked) {
        builder.end('filter');
        return;
      }
      throw builder.protocolError(
        builder.hasContent()
          ? 'the stream ended without a finish reason: it was cut off'
          : 'the reply has no candidate',
      );
    }
    const known = REASONS.get(finishReason);
    if (known === 'stop' || known === 'tool-calls') builder.end(builder.hasCalls() ? 'tool-calls' : 'stop');
    // A malformed call, or an unknown reason: nothing in the reply may run.
    else builder.end(known ?? 'other', { dropCalls: true });
  }

  function onJson(value: unknown): void {
    for (const chunk of Array.isArray(value) ? value : [value]) readChunk(chunk);
  }

  const reader = createBodyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      close();
    },
    partialText: builder.partialText,
  };
}

function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const input = asNumber(usage?.['promptTokenCount']);
  const output = asNumber(usage?.['candidatesTokenCount']);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const thoughts = asNumber(usage['thoughtsTokenCount']);
  const cached = asNumber(usage['cachedContentTokenCount']);
  return {
    inputTokens: (input ?? 0) + (asNumber(usage['toolUsePromptTokenCount']) ?? 0),
    outputTokens: (output ?? 0) + (thoughts ?? 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(thoughts === undefined ? {} : { reasoningTokens: thoughts }),
  };
}
