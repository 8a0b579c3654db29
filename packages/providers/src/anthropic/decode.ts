import type { FinishReason, OpaquePart } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson, toJson } from '../json-fields.ts';
import { isCall } from '../wire/tool-encoder.ts';
import { createExactArguments } from '../wire/arguments.ts';
import { createMessageBuilder, type DecoderContext } from '../wire/message-builder.ts';
import { opaquePart } from '../wire/message-parts.ts';
import { createBodyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/reply-decoder.ts';
import { containerPart } from './blocks.ts';
import { createOpaqueBlock, type OpaqueBlock } from './opaque-block.ts';
import { createServerPartReader, MESSAGES_CALLS, readCitation } from './server-parts.ts';
import { createUsageReader } from './usage.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
  ['pause_turn', 'paused'],
]);

/** The HTTP status that each type of error has outside of a stream. */
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

/** Unknown events and deltas are ignored; unknown blocks are kept as opaque parts. */
export function createAnthropicDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('input');
  const usageOf = createUsageReader();
  const opaqueBlocks = new Map<number | undefined, OpaqueBlock>();
  const readServerPart = createServerPartReader();
  let stopReason: string | undefined;
  let container: OpaquePart | undefined;
  let begun = false;

  function onEvent({ data, event }: SseEvent): void {
    if (builder.ended() || data.trim() === '' || data.trim() === '[DONE]') return;
    const value = asFields(parseJson(data));
    if (value === undefined) throw builder.invalidJsonError(data);
    exact.read(data, value);
    readEvent(asText(value['type']) ?? event, value);
    exact.forget();
  }

  function readEvent(type: string, event: Fields): void {
    switch (type) {
      case 'message_start': {
        // A gateway that tries again behind one stream: what came before belongs to a reply that was given up.
        if (begun) {
          builder.restart();
          opaqueBlocks.clear();
          stopReason = undefined;
          container = undefined;
        }
        begun = true;
        const message = asFields(event['message']);
        builder.model(message?.['model']);
        builder.usage(usageOf(message?.['usage']));
        readEnd(message);
        // A call that code at the vendor makes while its container waits comes whole, without events of its own.
        if (stopReason !== undefined) readContent(message);
        return;
      }
      case 'content_block_start':
        startBlock(asFields(event['content_block']), asNumber(event['index']));
        return;
      case 'content_block_delta':
        readDelta(asFields(event['delta']), asNumber(event['index']));
        return;
      case 'content_block_stop':
        endBlock(asNumber(event['index']));
        return;
      case 'message_delta':
        readEnd(asFields(event['delta']));
        builder.usage(usageOf(event['usage']));
        return;
      case 'message_stop':
        close();
        return;
      case 'error':
        throw failure(event);
      default:
        // A gateway may send an error in another vendor's shape.
        if (event['error'] !== undefined && findVendorError(event) !== undefined) throw failure(event);
    }
  }

  function readEnd(fields: Fields | undefined): void {
    stopReason = asText(fields?.['stop_reason']) ?? stopReason;
    container = containerPart(fields?.['container']) ?? container;
  }

  function readContent(message: Fields | undefined): void {
    for (const [at, block] of asList(message?.['content']).entries()) {
      startBlock(asFields(block), at);
      endBlock(at);
    }
  }

  function startBlock(block: Fields | undefined, index: number | undefined): void {
    const type = asText(block?.['type']);
    if (block === undefined || type === undefined) return;
    switch (type) {
      case 'text':
        for (const citation of asList(block['citations'])) addCitation(asFields(citation));
        builder.text(asText(block['text']) ?? '');
        return;
      case 'thinking':
        builder.reasoning(asText(block['thinking']) ?? '');
        attachSignature(block['signature']);
        return;
      case 'redacted_thinking':
        builder.endPart();
        builder.endPart({ redacted: asText(block['data']) ?? '' });
        return;
      default:
        if (isCall(MESSAGES_CALLS, type, asText(block['name']), context.toolDecoder)) startCall(block, index);
        else {
          const fill = builder.reserve();
          opaqueBlocks.set(
            index,
            createOpaqueBlock(block, (whole) => fill(readServerPart(whole) ?? opaquePart(type, whole))),
          );
        }
    }
  }

  function startCall(block: Fields, index: number | undefined): void {
    // Proxies send the whole input here; the vendor sends an empty object, then deltas of text.
    const input = asFields(block['input']);
    const whole = input !== undefined && Object.keys(input).length > 0 ? input : undefined;
    const caller = asFields(block['caller']);
    builder.call({
      index,
      id: asText(block['id']),
      name: asText(block['name']),
      arguments: exact.of(whole),
      // A call made by code that the vendor runs is refused without its caller.
      providerData: caller === undefined || caller['type'] === 'direct' ? undefined : { caller: toJson(caller) },
    });
  }

  function addCitation(citation: Fields | undefined): void {
    if (citation !== undefined) builder.cite(readCitation(citation), toJson(citation));
  }

  function endBlock(index: number | undefined): void {
    builder.endPart();
    opaqueBlocks.get(index)?.end();
    opaqueBlocks.delete(index);
  }

  function readDelta(delta: Fields | undefined, index: number | undefined): void {
    const opaque = opaqueBlocks.get(index);
    if (opaque !== undefined) {
      if (delta !== undefined) opaque.add(delta);
      return;
    }
    switch (delta?.['type']) {
      case 'text_delta':
        builder.text(asText(delta['text']) ?? '');
        return;
      case 'thinking_delta':
        builder.reasoning(asText(delta['thinking']) ?? '');
        return;
      case 'citations_delta':
        addCitation(asFields(delta['citation']));
        return;
      case 'signature_delta':
        attachSignature(delta['signature']);
        return;
      case 'input_json_delta':
        if (delta['partial_json'] !== '') builder.call({ index, arguments: delta['partial_json'] });
    }
  }

  function attachSignature(signature: unknown): void {
    if (typeof signature === 'string' && signature !== '') builder.endPart({ signature });
  }

  function close(): void {
    if (builder.ended()) return;
    if (stopReason === undefined)
      throw builder.protocolError('the reply has an end mark but no stop reason: it was cut off');
    for (const index of opaqueBlocks.keys()) endBlock(index);
    if (container !== undefined && builder.hasContent()) builder.reserve()(container);
    const known = REASONS.get(stopReason);
    if (known === 'length' || known === 'refusal') builder.end(known);
    else if (known === 'paused' && !builder.hasCalls()) builder.end(known);
    else builder.end(builder.hasCalls() ? 'tool-calls' : known === 'tool-calls' ? 'other' : (known ?? 'other'));
  }

  function onJson(value: unknown, text: string): void {
    exact.read(text, value);
    const message = asFields(value);
    const error = findVendorError(value);
    if (error !== undefined) throw failure(message ?? {});
    if (message === undefined || !Array.isArray(message['content']))
      throw builder.protocolError('the reply is JSON, but not a message');
    builder.model(message['model']);
    builder.usage(usageOf(message['usage']));
    readContent(message);
    readEnd(message);
    close();
  }

  function failure(value: Fields): Error {
    const error = findVendorError(value) ?? { message: 'an error event without a message' };
    const status = error.status ?? STATUS.get(error.type);
    return builder.vendorError(status === undefined ? error : { ...error, status });
  }

  const reader = createBodyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      if (!builder.ended()) throw builder.cutError('the stream ended without its end mark');
    },
    partialText: builder.partialText,
  };
}
