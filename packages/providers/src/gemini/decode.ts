import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type ReplyContext } from '../wire/message-builder.ts';
import { createReplyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  // Not the vendor's word for it, but that of servers that speak its wire.
  ['FUNCTION_CALL', 'tool-calls'],
  ['MAX_TOKENS', 'length'],
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'].map(
    (reason) => [reason, 'filter'] as const,
  ),
]);

/** Creates the decoder of one generateContent reply: server-sent events, one JSON object, or a JSON array of chunks. @internal */
export function createGeminiDecoder(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  let finish: string | undefined;
  let blocked = false;
  let calls = 0;

  function onEvent({ data }: SseEvent): void {
    if (data.trim() === '' || data.trim() === '[DONE]') return;
    const chunk = parseJson(data);
    if (chunk === undefined)
      throw reply.broken(`the stream has a line that is no JSON, or it was cut: ${data.slice(0, 80)}`);
    takeChunk(chunk);
  }

  function takeChunk(value: unknown): void {
    const error = findVendorError(value);
    if (error !== undefined) throw reply.failed(error);
    const chunk = asFields(value);
    if (chunk === undefined) return;
    reply.model(chunk['modelVersion']);
    reply.usage(usageOf(chunk['usageMetadata']));
    if (asText(asFields(chunk['promptFeedback'])?.['blockReason']) !== undefined) blocked = true;
    const candidate = asFields(asList(chunk['candidates'])[0]);
    if (candidate === undefined) return;
    for (const part of asList(asFields(candidate['content'])?.['parts'])) takePart(asFields(part) ?? {});
    finish = asText(candidate['finishReason']) ?? finish;
  }

  function takePart(part: Fields): void {
    const signature = asText(part['thoughtSignature']);
    const providerData = signature === undefined ? undefined : { thoughtSignature: signature };
    const call = asFields(part['functionCall']);
    if (call !== undefined) {
      // Each part is a whole call; the same call may come twice and is meant twice.
      const fragment = { index: calls, id: asText(call['id']), name: asText(call['name']), arguments: call['args'] };
      calls += 1;
      reply.call(providerData === undefined ? fragment : { ...fragment, providerData });
      return;
    }
    const text = asText(part['text']);
    if (text === undefined) return;
    if (part['thought'] === true) reply.reasoning(text);
    else reply.text(text);
    if (providerData !== undefined) reply.seal(providerData);
  }

  function close(): void {
    if (finish === undefined) {
      if (blocked) {
        reply.end('filter');
        return;
      }
      throw reply.broken(
        reply.hasContent() ? 'the stream ended without a finish reason: it was cut' : 'the reply holds no candidate',
      );
    }
    const known = REASONS.get(finish);
    if (known === 'stop' || known === 'tool-calls') reply.end(reply.hasCalls() ? 'tool-calls' : 'stop');
    // A malformed call, or a reason of tomorrow: what stands there was not meant to run.
    else reply.end(known ?? 'other', { dropCalls: true });
  }

  function onJson(value: unknown): void {
    for (const chunk of Array.isArray(value) ? value : [value]) takeChunk(chunk);
  }

  const reader = createReplyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      close();
    },
    partialText: reply.partialText,
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
