import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type ReplyContext } from '../wire/message-builder.ts';
import { createReplyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

/** What each kind of error would have been as a status, had it come before the stream. */
const STATUS: ReadonlyMap<string | undefined, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

/** Creates the decoder of one reply of the Messages wire. Unknown events, blocks and deltas are passed over. @internal */
export function createAnthropicDecoder(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  const counts = new Map<string, number>();
  let stopReason: string | undefined;

  function onEvent({ data, event }: SseEvent): void {
    if (reply.isOver() || data.trim() === '' || data.trim() === '[DONE]') return;
    const value = asFields(parseJson(data));
    if (value === undefined)
      throw reply.broken(`the stream has a line that is no JSON, or it was cut: ${data.slice(0, 80)}`);
    takeEvent(asText(value['type']) ?? event, value);
  }

  function takeEvent(type: string, event: Fields): void {
    switch (type) {
      case 'message_start': {
        const message = asFields(event['message']);
        reply.model(message?.['model']);
        takeUsage(message?.['usage']);
        return;
      }
      case 'content_block_start':
        startBlock(asFields(event['content_block']), asNumber(event['index']));
        return;
      case 'content_block_delta':
        takeDelta(asFields(event['delta']), asNumber(event['index']));
        return;
      case 'content_block_stop':
        reply.seal();
        return;
      case 'message_delta':
        stopReason = asText(asFields(event['delta'])?.['stop_reason']) ?? stopReason;
        takeUsage(event['usage']);
        return;
      case 'message_stop':
        close();
        return;
      case 'error':
        throw failure(event);
      default:
        // An error in another vendor's shape, from a gateway.
        if (event['error'] !== undefined && findVendorError(event) !== undefined) throw failure(event);
    }
  }

  function startBlock(block: Fields | undefined, index: number | undefined): void {
    switch (block?.['type']) {
      case 'text':
        reply.text(asText(block['text']) ?? '');
        return;
      case 'thinking':
        reply.reasoning(asText(block['thinking']) ?? '');
        sign(block['signature']);
        return;
      case 'redacted_thinking':
        reply.seal();
        reply.seal({ redacted: asText(block['data']) ?? '' });
        return;
      case 'tool_use': {
        // Proxies send the whole input here; the vendor sends an empty object, then pieces of text.
        const input = asFields(block['input']);
        const whole = input !== undefined && Object.keys(input).length > 0 ? input : undefined;
        reply.call({ index, id: asText(block['id']), name: asText(block['name']), arguments: whole });
      }
    }
  }

  function takeDelta(delta: Fields | undefined, index: number | undefined): void {
    switch (delta?.['type']) {
      case 'text_delta':
        reply.text(asText(delta['text']) ?? '');
        return;
      case 'thinking_delta':
        reply.reasoning(asText(delta['thinking']) ?? '');
        return;
      case 'signature_delta':
        sign(delta['signature']);
        return;
      case 'input_json_delta':
        if (delta['partial_json'] !== '') reply.call({ index, arguments: delta['partial_json'] });
    }
  }

  function sign(signature: unknown): void {
    if (typeof signature === 'string' && signature !== '') reply.seal({ signature });
  }

  function takeUsage(value: unknown): void {
    for (const [key, count] of Object.entries(asFields(value) ?? {}))
      if (typeof count === 'number') counts.set(key, count);
    reply.usage(usageFrom(counts));
  }

  function close(): void {
    if (reply.isOver()) return;
    if (stopReason === undefined) throw reply.broken('the reply has an end mark but no stop reason: it was cut');
    const known = REASONS.get(stopReason);
    if (known === 'length' || known === 'refusal') reply.end(known);
    else reply.end(reply.hasCalls() ? 'tool-calls' : known === 'tool-calls' ? 'other' : (known ?? 'other'));
  }

  function onJson(value: unknown): void {
    const message = asFields(value);
    const error = findVendorError(value);
    if (error !== undefined) throw failure(message ?? {});
    if (message === undefined || !Array.isArray(message['content']))
      throw reply.broken('the reply is JSON, but no message');
    reply.model(message['model']);
    takeUsage(message['usage']);
    for (const [at, block] of asList(message['content']).entries()) {
      startBlock(asFields(block), at);
      reply.seal();
    }
    stopReason = asText(message['stop_reason']);
    close();
  }

  function failure(value: Fields): Error {
    const found = findVendorError(value) ?? { message: 'an error event without a message' };
    const status = found.status ?? STATUS.get(found.type);
    return reply.failed(status === undefined ? found : { ...found, status });
  }

  const reader = createReplyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      if (!reply.isOver())
        throw reply.broken(
          reply.hasContent() ? 'the stream ended without its end mark: it was cut' : 'the reply is empty',
        );
    },
    partialText: reply.partialText,
  };
}

function usageFrom(counts: ReadonlyMap<string, number>): Usage | undefined {
  const [input, output] = [counts.get('input_tokens'), counts.get('output_tokens')];
  if (input === undefined && output === undefined) return undefined;
  const read = counts.get('cache_read_input_tokens');
  const written = counts.get('cache_creation_input_tokens');
  // The vendor counts cached tokens beside the others.
  return {
    inputTokens: (input ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(read === undefined ? {} : { cachedInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
  };
}
