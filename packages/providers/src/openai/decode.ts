import type { JsonValue } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type ReplyContext } from '../wire/message-builder.ts';
import { createReplyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';
import { textsOf } from './content-text.ts';
import { finishReasonOf } from './finish-reason.ts';
import { createReasoningDetails, type ReasoningDetails } from './reasoning-details.ts';
import { usageOf } from './usage.ts';

/** Creates the decoder of one chat-completions reply: a stream of chunks or one JSON object, whichever the server sends. */
export function createChatDecoder(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  let finish: string | undefined;
  let refused = false;
  let details: ReasoningDetails | undefined;

  function onEvent({ data, event }: SseEvent): void {
    if (reply.isOver()) return;
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      close(true);
      return;
    }
    if (data.trim() === '') return;
    const chunk = parseJson(data);
    if (event === 'error') {
      throw reply.failed(findVendorError(chunk) ?? { message: asText(asFields(chunk)?.['message']) ?? data });
    }
    if (chunk === undefined) {
      if (finish !== undefined && '[DONE]'.startsWith(data.trim())) return;
      throw reply.broken(`the stream has a line that is no JSON, or it was cut: ${data.slice(0, 80)}`);
    }
    takeChunk(chunk);
  }

  function takeChunk(chunk: unknown): void {
    const fields = asFields(chunk);
    if (fields === undefined || fields['error'] || fields['object'] === 'error') {
      const error = findVendorError(chunk);
      if (error !== undefined) throw reply.failed(error);
      if (fields === undefined) return;
    }
    if (fields['usage']) reply.usage(usageOf(fields['usage']));
    reply.model(fields['model']);
    const choices = fields['choices'];
    if (!Array.isArray(choices)) return;
    for (const entry of choices) {
      const choice = asFields(entry);
      if (choice !== undefined && (choice['index'] ?? 0) === 0) takeChoice(choice);
    }
  }

  function takeChoice(choice: Fields): void {
    const whole = asFields(choice['message']);
    const delta = asFields(choice['delta']) ?? (reply.hasContent() ? undefined : whole);
    if (delta !== undefined) takeDelta(delta, whole !== undefined && delta === whole);
    const reason = choice['finish_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    if (reason === 'error' || reason === 'abort' || reason === 'insufficient_system_resource') {
      const error = findVendorError(choice) ?? { message: `the reply ended with finish_reason "${reason}"` };
      throw reply.failed(error);
    }
    finish = finish === undefined || finish === 'stop' ? reason : finish;
  }

  function takeDelta(delta: Fields, whole: boolean): void {
    const reasoning = asText(delta['reasoning_content']) ?? asText(delta['reasoning']);
    const given = delta['reasoning_details'];
    if (given !== undefined) details ??= createReasoningDetails();
    const detailed = details?.add(given);
    reply.reasoning(reasoning ?? detailed ?? '');
    const { content } = delta;
    if (typeof content === 'string') {
      reply.text(content);
    } else if (Array.isArray(content)) {
      for (const piece of textsOf(content)) reply[piece.type](piece.text);
    }
    const refusal = asText(delta['refusal']);
    if (refusal !== undefined && refusal !== '') {
      refused = true;
      reply.text(refusal);
    }
    const list = delta['tool_calls'];
    if (Array.isArray(list)) for (const [at, call] of list.entries()) takeCall(call, at, list.length, whole);
    const legacy = asFields(delta['function_call']);
    if (legacy !== undefined) takeCall({ index: 0, function: legacy }, 0, 1, false);
  }

  function takeCall(value: unknown, position: number, of: number, whole: boolean): void {
    const call = asFields(value);
    if (call === undefined) return;
    const fn = asFields(call['function']) ?? call;
    reply.call(
      {
        index: whole ? position : asNumber(call['index']),
        id: asText(call['id']),
        name: asText(fn['name']),
        arguments: fn['arguments'],
        // JSON.parse made it, so it is JSON.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        providerData: (call['extra_content'] ?? undefined) as JsonValue | undefined,
      },
      position,
      of,
    );
  }

  function close(marked: boolean): void {
    if (reply.isOver()) return;
    if (finish === undefined && !(marked && reply.hasContent())) {
      throw reply.broken(
        reply.hasContent()
          ? 'the stream ended without a finish reason: it was cut'
          : 'the reply is empty: it holds no message, no finish reason and no error',
      );
    }
    reply.seal(details?.whole());
    reply.end(finishReasonOf(finish, reply.hasCalls(), refused));
  }

  function onJson(value: unknown): void {
    takeChunk(value);
    if (asList(asFields(value)?.['choices']).length === 0)
      throw reply.broken('the reply is JSON, but holds no choices');
    // A whole reply may lack the finish reason: the JSON is complete, so nothing was cut.
    close(true);
  }

  const reader = createReplyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      close(false);
    },
    partialText: reply.partialText,
  };
}
