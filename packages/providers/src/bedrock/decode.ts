import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createReply, type Reply, type ReplyContext } from '../wire/message-builder.ts';
import { createFrameSplitter } from '../stream/aws-frames.ts';
import { findVendorError, htmlTitle } from '../http/errors.ts';
import type { ReplyDecoder } from '../stream/wire-stream.ts';
import type { ReadFrame } from './optional-packages.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'filter'],
  ['content_filtered', 'filter'],
]);

/** What each exception frame would have been as a status, had it come before the stream. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ['validationException', 400],
  ['throttlingException', 429],
  ['internalServerException', 500],
  ['modelStreamErrorException', 424],
  ['serviceUnavailableException', 503],
  ['modelTimeoutException', 408],
]);

/** Creates the maker of decoders for Converse replies: with `readFrame` of a stream, without of one JSON object. @internal */
export function createBedrockDecoder(readFrame: ReadFrame | undefined): (context: ReplyContext) => ReplyDecoder {
  return (context) => (readFrame === undefined ? decodeWhole(context) : decodeStream(context, readFrame));
}

function decodeWhole(context: ReplyContext): ReplyDecoder {
  const reply = createReply(context);
  const pieces: Uint8Array[] = [];
  return {
    push(bytes) {
      pieces.push(Buffer.from(bytes));
      return true;
    },
    end() {
      const text = Buffer.concat(pieces).toString('utf8');
      const value = asFields(parseJson(text));
      if (value === undefined)
        throw reply.broken(htmlTitle(text) ?? 'the reply is JSON that was cut short, or no JSON');
      const error = findVendorError(value);
      if (error !== undefined) throw reply.failed(error);
      const message = asFields(asFields(value['output'])?.['message']);
      if (message === undefined) throw reply.broken('the reply is JSON, but holds no message');
      for (const [at, entry] of asList(message['content']).entries()) takeBlock(reply, asFields(entry) ?? {}, at);
      reply.usage(usageOf(value['usage']));
      finish(reply, asText(value['stopReason']));
    },
    partialText: reply.partialText,
  };
}

function decodeStream(context: ReplyContext, readFrame: ReadFrame): ReplyDecoder {
  const reply = createReply(context);
  let stopReason: string | undefined;
  let first: number | undefined;
  const text: Uint8Array[] = [];

  function onFrame(bytes: Uint8Array): void {
    let frame;
    try {
      frame = readFrame(bytes);
    } catch (error) {
      throw reply.broken(`a frame of the reply is damaged: ${error instanceof Error ? error.message : String(error)}`);
    }
    const payload = asFields(parseJson(Buffer.from(frame.body).toString('utf8'))) ?? {};
    const exception = frame.headers.get(':exception-type');
    if (exception !== undefined) {
      const message = asText(payload['message']) ?? exception;
      const status = STATUS.get(exception);
      throw reply.failed({ message, type: exception, ...(status === undefined ? {} : { status }) });
    }
    if (frame.headers.get(':message-type') === 'error') {
      throw reply.failed({ message: frame.headers.get(':error-message') ?? 'an error frame without a message' });
    }
    takeEvent(frame.headers.get(':event-type') ?? '', payload);
  }

  function takeEvent(type: string, event: Fields): void {
    const index = asNumber(event['contentBlockIndex']);
    switch (type) {
      case 'contentBlockStart': {
        const call = asFields(asFields(event['start'])?.['toolUse']);
        if (call !== undefined) reply.call({ index, id: asText(call['toolUseId']), name: asText(call['name']) });
        return;
      }
      case 'contentBlockDelta':
        takeBlock(reply, asFields(event['delta']) ?? {}, index);
        return;
      case 'contentBlockStop':
        reply.seal();
        return;
      case 'messageStop':
        stopReason = asText(event['stopReason']);
        return;
      case 'metadata':
        reply.usage(usageOf(event['usage']));
    }
  }

  const frames = createFrameSplitter(onFrame, context.lineLength);
  return {
    push(bytes) {
      first ??= bytes[0];
      // A frame begins with a length under 2^24; text does not.
      if (first !== undefined && first !== 0) {
        text.push(Buffer.from(bytes));
        return true;
      }
      return frames.push(bytes) > 0;
    },
    end() {
      if (text.length > 0) throw notAStream(reply, Buffer.concat(text).toString('utf8'));
      if (frames.isInside()) throw reply.broken('the stream ended inside a frame: it was cut');
      if (stopReason === undefined) {
        throw reply.broken(
          reply.hasContent() ? 'the stream ended without a stop reason: it was cut' : 'the reply is empty',
        );
      }
      finish(reply, stopReason);
    },
    partialText: reply.partialText,
  };
}

function notAStream(reply: Reply, text: string): Error {
  const value = parseJson(text);
  const message = asText(asFields(value)?.['message']);
  const error = findVendorError(value) ?? (message === undefined ? undefined : { message });
  return error === undefined
    ? reply.broken(`the reply is no event stream but ${htmlTitle(text) ?? 'text'}`)
    : reply.failed(error);
}

/** Takes a whole block, or a piece of one: they have the same fields. */
function takeBlock(reply: Reply, block: Fields, index: number | undefined): void {
  reply.text(asText(block['text']) ?? '');
  const call = asFields(block['toolUse']);
  if (call !== undefined) {
    reply.call({ index, id: asText(call['toolUseId']), name: asText(call['name']), arguments: call['input'] });
  }
  const thought = asFields(block['reasoningContent']);
  if (thought === undefined) return;
  const whole = asFields(thought['reasoningText']) ?? thought;
  reply.reasoning(asText(whole['text']) ?? '');
  const signature = asText(whole['signature']);
  if (signature !== undefined && signature !== '') reply.seal({ signature });
  const redacted = asText(thought['redactedContent']);
  if (redacted !== undefined) {
    reply.seal();
    reply.seal({ redacted });
  }
}

function finish(reply: Reply, stopReason: string | undefined): void {
  if (stopReason === undefined) throw reply.broken('the reply holds no stop reason');
  const known = REASONS.get(stopReason);
  if (known === 'stop' || known === 'tool-calls') reply.end(reply.hasCalls() ? 'tool-calls' : 'stop');
  else reply.end(known ?? 'other', { dropCalls: true });
}

function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const input = asNumber(usage?.['inputTokens']);
  const output = asNumber(usage?.['outputTokens']);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const read = asNumber(usage['cacheReadInputTokens']);
  const written = asNumber(usage['cacheWriteInputTokens']);
  return {
    inputTokens: (input ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(read === undefined ? {} : { cachedInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
  };
}
