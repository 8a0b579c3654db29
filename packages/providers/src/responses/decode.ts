import { asFields, asList, asNumber, asText, type Fields, parseJson, toJson } from '../json-fields.ts';
import { createExactArguments } from '../wire/arguments.ts';
import { createMessageBuilder, type DecoderContext, type FillPlace } from '../wire/message-builder.ts';
import { opaquePart } from '../wire/message-parts.ts';
import { createBodyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError, type VendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/reply-decoder.ts';
import { createBackgroundProgress } from './background.ts';
import { reasoningOf, toCallData, toReasoningData } from './items.ts';
import { isFunctionCall, readClientCall } from './client-calls.ts';
import { createServerItemReader, readAnnotation } from './server-items.ts';
import { createInferredIndexes } from './inferred-indexes.ts';
import type { Usage } from '@kernel/protocol';
import { toUsage } from '../wire/usage.ts';

/** Every other item is kept as it is. */
const READ = new Set(['message', 'reasoning']);

/** Calls are identified by their `call_id`; unknown events are ignored, unknown items are kept as opaque parts. */
export function createResponsesDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('arguments');
  /** Output indexes whose arguments or reasoning arrived as deltas. */
  const streamed = new Set<number>();
  /** The text that arrived as deltas, by output index. For a reply in the background it includes arguments of calls and reasoning. */
  const texts = new Map<number, string>();
  const places = new Map<number, FillPlace>();
  const readServerItem = createServerItemReader();
  const inferIndex = createInferredIndexes();
  const annotations = new Map<number, number>();
  /** The output indexes and ids of items that are complete. */
  const completed = new Set<number | string>();
  const background =
    context.background &&
    createBackgroundProgress(context.background, context.streams, () => (reader = createReader()));
  let refused = false;

  function onEvent({ data, event }: SseEvent): void {
    if (builder.ended() || data.trim() === '' || data.trim() === '[DONE]') return;
    const value = asFields(parseJson(data));
    if (value === undefined) throw builder.invalidJsonError(data);
    if (background?.advance(value) === false) return;
    exact.read(data, value);
    const type = asText(value['type']) ?? event;
    readEvent(type, value, asNumber(value['output_index']) ?? inferIndex(type));
    exact.forget();
  }

  function readEvent(type: string, event: Fields, at: number): void {
    switch (type) {
      case 'response.output_text.delta':
        addText(asText(event['delta']) ?? '', at);
        return;
      case 'response.refusal.delta':
        refused = true;
        addText(asText(event['delta']) ?? '', at);
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        streamed.add(at);
        builder.reasoning(asText(event['delta']) ?? '');
        remember(event['delta'], at);
        return;
      case 'response.output_text.annotation.added':
        // What belongs to a later part of the item is read when the item is complete, which says where the part begins.
        if ((asNumber(event['content_index']) ?? 0) === 0) addAnnotation(asFields(event['annotation']), at, 0);
        return;
      case 'response.output_item.added':
        startItem(asFields(event['item']), at);
        return;
      case 'response.function_call_arguments.delta':
        streamed.add(at);
        builder.call({ index: at, arguments: event['delta'] });
        remember(event['delta'], at);
        return;
      case 'response.output_item.done':
        readItem(asFields(event['item']), at);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        readResponse(asFields(event['response']) ?? {}, type.slice('response.'.length));
        return;
      case 'error':
        throw failure(
          findVendorError(event) ?? { message: asText(event['message']) ?? 'an error event without a message' },
        );
      default:
        if (event['error'] !== undefined && event['error'] !== null) {
          const error = findVendorError(event);
          if (error !== undefined) throw failure(error);
        }
    }
  }

  function failure(error: VendorError): Error {
    background?.end();
    return builder.vendorError(error);
  }

  /** A broken stream of a reply in the background may be followed by the whole response, whose items contain the rest. */
  function remember(delta: unknown, at: number): void {
    if (background !== undefined) texts.set(at, (texts.get(at) ?? '') + (asText(delta) ?? ''));
  }

  function restOf(whole: string, at: number): string {
    const known = texts.get(at);
    return known !== undefined && whole.startsWith(known) ? whole.slice(known.length) : '';
  }

  function addText(delta: string, at: number): void {
    builder.text(delta);
    texts.set(at, (texts.get(at) ?? '') + delta);
  }

  function startItem(item: Fields | undefined, at: number): void {
    const type = asText(item?.['type']);
    if (item === undefined || type === undefined) return;
    if (READ.has(type)) return;
    if (isFunctionCall(item, context.toolDecoder)) builder.call({ index: at, ...callIn(item), arguments: '' });
    else if (readClientCall(item, context.toolDecoder) === undefined) places.set(at, builder.reserve());
  }

  /** Emits only what the deltas of the item did not contain. */
  function readItem(item: Fields | undefined, at: number): void {
    const type = asText(item?.['type']);
    const id = asText(item?.['id']);
    if (item === undefined || type === undefined || completed.has(at) || (id !== undefined && completed.has(id)))
      return;
    completed.add(at);
    if (id !== undefined) completed.add(id);
    switch (type) {
      case 'message': {
        const parts = asList(item['content']).map((part) => asFields(part));
        if (parts.some((part) => asText(part?.['refusal']) !== undefined)) refused = true;
        const whole = parts.map((part) => asText(part?.['refusal']) ?? asText(part?.['text']) ?? '').join('');
        // A gateway may lose deltas: the item has the rest.
        const known = texts.get(at) ?? '';
        if (whole.startsWith(known)) builder.text(whole.slice(known.length));
        addAnnotations(parts, at);
        builder.endPart();
        return;
      }
      case 'reasoning':
        builder.reasoning(streamed.has(at) ? restOf(reasoningOf(item), at) : reasoningOf(item));
        builder.endPart(toReasoningData(item));
        return;
      default:
        if (isFunctionCall(item, context.toolDecoder)) readFunctionCall(item, type, at);
        else readVendorItem(item, type, at);
    }
  }

  function readFunctionCall(item: Fields, type: string, at: number): void {
    const whole = item['arguments'] ?? item['input'];
    const text = streamed.has(at) ? restOf(asText(whole) ?? '', at) : exact.of(whole);
    // An item of another type goes back as a call of a function: that is what was on offer.
    const providerData = type === 'function_call' ? toCallData(item) : undefined;
    builder.call({ index: at, ...callIn(item), arguments: text, providerData });
  }

  function readVendorItem(item: Fields, type: string, at: number): void {
    const call = readClientCall(item, context.toolDecoder);
    if (call !== undefined) builder.call({ index: at, ...call });
    else (places.get(at) ?? builder.reserve())(...(readServerItem(item) ?? [opaquePart(type, item)]));
  }

  /** Adds the annotations that no event has brought. */
  function addAnnotations(parts: readonly (Fields | undefined)[], at: number): void {
    let offset = 0;
    let known = annotations.get(at) ?? 0;
    for (const part of parts) {
      for (const annotation of asList(part?.['annotations'])) {
        if (known === 0) addAnnotation(asFields(annotation), at, offset);
        else known -= 1;
      }
      offset += (asText(part?.['text']) ?? '').length;
    }
  }

  function addAnnotation(annotation: Fields | undefined, at: number, offset: number): void {
    if (annotation === undefined) return;
    annotations.set(at, (annotations.get(at) ?? 0) + 1);
    builder.cite(readAnnotation(annotation, builder.lastTextLength(), offset), toJson(annotation));
  }

  function readResponse(response: Fields, eventStatus?: string): void {
    builder.model(response['model']);
    builder.usage(usageOf(response['usage']));
    if (background?.isRunning(response) === true) return;
    background?.end();
    // Some servers leave the status out, or call a complete response `complete`.
    const status = asText(response['status']) ?? eventStatus;
    if (status === 'failed' || status === 'cancelled') {
      throw builder.vendorError(findVendorError(response) ?? { message: `the response ended with status "${status}"` });
    }
    for (const [at, item] of asList(response['output']).entries()) readItem(asFields(item), at);
    if (status === 'incomplete') {
      const reason = asText(asFields(response['incomplete_details'])?.['reason']);
      const finish =
        reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'content-filter' : 'other';
      builder.end(finish, { dropCalls: true });
      return;
    }
    if (status !== 'completed' && status !== 'complete')
      throw builder.protocolError(`the response ended with status "${status ?? ''}"`);
    builder.end(refused ? 'refusal' : builder.hasCalls() ? 'tool-calls' : 'stop');
  }

  function onJson(value: unknown, body: string): void {
    exact.read(body, value);
    const response = asFields(value);
    const isWhole = response?.['status'] !== undefined || Array.isArray(response?.['output']);
    if (response === undefined || !isWhole) {
      const error = findVendorError(value);
      if (error !== undefined) throw failure(error);
      throw builder.protocolError('the reply is JSON, but not a response');
    }
    background?.advance(response);
    readResponse(response, 'completed');
  }

  const createReader = () => createBodyReader(context.name, { onEvent, onJson }, context.lineLength);
  let reader = createReader();
  return {
    background,
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      if (!builder.ended() && background?.isOpen() !== true)
        throw builder.cutError('the stream ended without response.completed');
    },
    partialText: builder.partialText,
  };
}

function callIn(item: Fields): { readonly id: string | undefined; readonly name: string | undefined } {
  return { id: asText(item['call_id'] ?? item['id']), name: asText(item['name']) };
}

export function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const input = asFields(usage?.['input_tokens_details']);
  return toUsage(asNumber(usage?.['input_tokens']), asNumber(usage?.['output_tokens']), {
    cachedInputTokens: asNumber(input?.['cached_tokens']),
    cacheWriteTokens: asNumber(input?.['cache_write_tokens']),
    reasoningTokens: asNumber(asFields(usage?.['output_tokens_details'])?.['reasoning_tokens']),
  });
}
