import type { JsonValue, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type ReplyContext } from '../wire/message-builder.ts';
import { createReplyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';

/** Creates the decoder of one reply of the Responses wire. Calls are known by their `call_id`; unknown events are passed over. @internal */
export function createResponsesDecoder(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  /** Output places whose text, arguments or reasoning came in pieces, and those that are whole. */
  const pieced = new Set<number>();
  const whole = new Set<number>();
  let refused = false;

  function onEvent({ data, event }: SseEvent): void {
    if (reply.isOver() || data.trim() === '' || data.trim() === '[DONE]') return;
    const value = asFields(parseJson(data));
    if (value === undefined)
      throw reply.broken(`the stream has a line that is no JSON, or it was cut: ${data.slice(0, 80)}`);
    takeEvent(asText(value['type']) ?? event, value, asNumber(value['output_index']) ?? 0);
  }

  function takeEvent(type: string, event: Fields, at: number): void {
    switch (type) {
      case 'response.output_text.delta':
        pieced.add(at);
        reply.text(asText(event['delta']) ?? '');
        return;
      case 'response.refusal.delta':
        pieced.add(at);
        refused = true;
        reply.text(asText(event['delta']) ?? '');
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        pieced.add(at);
        reply.reasoning(asText(event['delta']) ?? '');
        return;
      case 'response.output_item.added':
        startItem(asFields(event['item']), at);
        return;
      case 'response.function_call_arguments.delta':
        pieced.add(at);
        reply.call({ index: at, arguments: event['delta'] });
        return;
      case 'response.output_item.done':
        takeItem(asFields(event['item']), at);
        return;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        takeResponse(asFields(event['response']) ?? {}, type.slice('response.'.length));
        return;
      case 'error':
        throw reply.failed(
          findVendorError(event) ?? { message: asText(event['message']) ?? 'an error event without a message' },
        );
      default:
        if (event['error'] !== undefined && event['error'] !== null) {
          const error = findVendorError(event);
          if (error !== undefined) throw reply.failed(error);
        }
    }
  }

  function startItem(item: Fields | undefined, at: number): void {
    if (item?.['type'] !== 'function_call') return;
    reply.call({ index: at, id: asText(item['call_id']), name: asText(item['name']), arguments: '' });
  }

  /** A whole item: what its pieces did not bring is taken from it. */
  function takeItem(item: Fields | undefined, at: number): void {
    if (item === undefined || whole.has(at)) return;
    whole.add(at);
    switch (item['type']) {
      case 'message':
        for (const part of asList(item['content'])) {
          const fields = asFields(part);
          const refusal = asText(fields?.['refusal']);
          if (refusal !== undefined) refused = true;
          if (!pieced.has(at)) reply.text(refusal ?? asText(fields?.['text']) ?? '');
        }
        reply.seal();
        return;
      case 'reasoning':
        if (!pieced.has(at)) {
          for (const part of [...asList(item['summary']), ...asList(item['content'])]) {
            reply.reasoning(asText(asFields(part)?.['text']) ?? '');
          }
        }
        reply.seal(toReasoningData(item));
        return;
      case 'function_call': {
        const text = pieced.has(at) ? undefined : item['arguments'];
        reply.call({ index: at, id: asText(item['call_id']), name: asText(item['name']), arguments: text });
      }
    }
  }

  function takeResponse(response: Fields, told?: string): void {
    reply.model(response['model']);
    reply.usage(usageOf(response['usage']));
    const status = asText(response['status']) ?? told;
    if (status === 'failed' || status === 'cancelled') {
      throw reply.failed(findVendorError(response) ?? { message: `the response ended with status "${status}"` });
    }
    for (const [at, item] of asList(response['output']).entries()) takeItem(asFields(item), at);
    if (status === 'incomplete') {
      const reason = asText(asFields(response['incomplete_details'])?.['reason']);
      const finish = reason === 'max_output_tokens' ? 'length' : reason === 'content_filter' ? 'filter' : 'other';
      reply.end(finish, { dropCalls: true });
      return;
    }
    if (status !== 'completed') throw reply.broken(`the response ended with status "${status ?? ''}"`);
    reply.end(refused ? 'refusal' : reply.hasCalls() ? 'tool-calls' : 'stop');
  }

  function onJson(value: unknown): void {
    const response = asFields(value);
    if (response?.['status'] === undefined) {
      const error = findVendorError(value);
      if (error !== undefined) throw reply.failed(error);
      throw reply.broken('the reply is JSON, but no response');
    }
    takeResponse(response);
  }

  const reader = createReplyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      if (!reply.isOver())
        throw reply.broken(
          reply.hasContent() ? 'the stream ended without response.completed: it was cut' : 'the reply is empty',
        );
    },
    partialText: reply.partialText,
  };
}

/** What of a reasoning item goes back: all but its status, which is output only. */
function toReasoningData(item: Fields): JsonValue {
  const { status: _, ...rest } = item;
  // JSON.parse made it, so it is JSON.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return rest as JsonValue;
}

function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const input = asNumber(usage?.['input_tokens']);
  const output = asNumber(usage?.['output_tokens']);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const cached = asNumber(asFields(usage['input_tokens_details'])?.['cached_tokens']);
  const reasoning = asNumber(asFields(usage['output_tokens_details'])?.['reasoning_tokens']);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
