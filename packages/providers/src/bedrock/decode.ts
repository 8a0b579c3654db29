import { copyBytes, decodeUtf8, errorMessage } from '@kernel/internal';
import { concatBytes } from '../http/join-bytes.ts';
import type { FinishReason, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createExactArguments, type ExactArguments } from '../wire/arguments.ts';
import {
  createMessageBuilder,
  type DecoderContext,
  type FillPlace,
  type MessageBuilder,
} from '../wire/message-builder.ts';
import { createFrameSplitter } from '../stream/aws-frames.ts';
import { describeHtmlPage, findVendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/reply-decoder.ts';
import { callOf, createOpaqueBlock, type OpaqueBlock, opaqueKind } from './opaque-block.ts';
import { createServerPartReader, readCitation } from './server-parts.ts';
import type { ReadFrame } from './optional-packages.ts';
import { toUsage } from '../wire/usage.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
]);

/** The HTTP status that each exception has outside of a stream. */
const STATUS: ReadonlyMap<string, number> = new Map([
  ['validationException', 400],
  ['throttlingException', 429],
  ['internalServerException', 500],
  ['modelStreamErrorException', 424],
  ['serviceUnavailableException', 503],
  ['modelTimeoutException', 408],
]);

export function createBedrockDecoder(context: DecoderContext, readFrame: ReadFrame | undefined): ReplyDecoder {
  return context.streams && readFrame !== undefined ? streamDecoder(context, readFrame) : jsonDecoder(context);
}

function jsonDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('input');
  const readServerPart = createServerPartReader();
  const chunks: Uint8Array[] = [];
  return {
    push(bytes) {
      chunks.push(copyBytes(bytes));
      return true;
    },
    end() {
      const text = decodeUtf8(concatBytes(chunks));
      const value = asFields(parseJson(text));
      if (value === undefined)
        throw builder.protocolError(describeHtmlPage(text) ?? 'the reply is not valid JSON, or it was cut short');
      exact.read(text, value);
      const error = findVendorError(value);
      if (error !== undefined) throw builder.vendorError(error);
      const message = asFields(asFields(value['output'])?.['message']);
      if (message === undefined) throw builder.protocolError('the reply is JSON without a message');
      for (const [at, entry] of asList(message['content']).entries()) {
        const block = asFields(entry) ?? {};
        const kind = opaqueKind(block, context.toolDecoder);
        const call = callOf(block, context.toolDecoder);
        if (call !== undefined) readCall(builder, call, at, exact);
        else if (kind === undefined) readBlock(builder, block);
        else builder.reserve()(readServerPart(kind, block));
      }
      builder.usage(usageOf(value['usage']));
      finish(builder, asText(value['stopReason']));
    },
    partialText: builder.partialText,
  };
}

function streamDecoder(context: DecoderContext, readFrame: ReadFrame): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('input');
  const readServerPart = createServerPartReader();
  const keepIn = (fill: FillPlace) => (kind: string, block: Fields) => fill(readServerPart(kind, block));
  const opaqueBlocks = new Map<number | undefined, OpaqueBlock>();
  const calls = new Set<number | undefined>();
  let stopReason: string | undefined;
  let firstByte: number | undefined;
  const textChunks: Uint8Array[] = [];

  function onFrame(bytes: Uint8Array): void {
    let frame;
    try {
      frame = readFrame(bytes);
    } catch (error) {
      throw builder.protocolError(`a frame of the reply is corrupt: ${errorMessage(error)}`);
    }
    const text = decodeUtf8(frame.body);
    const payload = asFields(parseJson(text)) ?? {};
    exact.read(text, payload);
    const exception = frame.headers.get(':exception-type');
    if (exception !== undefined) {
      const message = asText(payload['message']) ?? exception;
      const status = STATUS.get(exception);
      throw builder.vendorError({ message, type: exception, ...(status === undefined ? {} : { status }) });
    }
    if (frame.headers.get(':message-type') === 'error') {
      throw builder.vendorError({ message: frame.headers.get(':error-message') ?? 'an error frame without a message' });
    }
    readEvent(frame.headers.get(':event-type') ?? '', payload);
    exact.forget();
  }

  function readEvent(type: string, event: Fields): void {
    const index = asNumber(event['contentBlockIndex']);
    switch (type) {
      case 'contentBlockStart': {
        const start = asFields(event['start']) ?? {};
        const call = callOf(start, context.toolDecoder);
        if (call !== undefined) {
          calls.add(index);
          readCall(builder, call, index, exact);
          return;
        }
        const kind = opaqueKind(start, context.toolDecoder);
        if (kind !== undefined) opaqueBlocks.set(index, createOpaqueBlock(kind, start, keepIn(builder.reserve())));
        return;
      }
      case 'contentBlockDelta':
        readDelta(asFields(event['delta']) ?? {}, index);
        return;
      case 'contentBlockStop':
        endBlock(index);
        return;
      case 'messageStop':
        stopReason = asText(event['stopReason']);
        return;
      case 'metadata':
        builder.usage(usageOf(event['usage']));
    }
  }

  /** A kind of block without a start begins with its first delta. */
  function readDelta(delta: Fields, index: number | undefined): void {
    const opaque = opaqueBlocks.get(index);
    const call = calls.has(index) ? asFields(Object.values(delta)[0]) : callOf(delta, context.toolDecoder);
    if (opaque === undefined && call !== undefined) {
      readCall(builder, call, index, exact);
      return;
    }
    const kind = opaque === undefined ? opaqueKind(delta, context.toolDecoder) : undefined;
    if (kind !== undefined) opaqueBlocks.set(index, createOpaqueBlock(kind, { [kind]: {} }, keepIn(builder.reserve())));
    const block = opaqueBlocks.get(index);
    if (block === undefined) readBlock(builder, delta);
    else block.add(delta);
  }

  function endBlock(index: number | undefined): void {
    builder.endPart();
    calls.delete(index);
    opaqueBlocks.get(index)?.end();
    opaqueBlocks.delete(index);
  }

  const frames = createFrameSplitter(onFrame, context.lineLength);
  return {
    push(bytes) {
      firstByte ??= bytes[0];
      // A frame begins with a length below 2^24; text does not.
      if (firstByte !== undefined && firstByte !== 0) {
        textChunks.push(copyBytes(bytes));
        return true;
      }
      return frames.push(bytes) > 0;
    },
    end() {
      if (textChunks.length > 0) throw textError(builder, decodeUtf8(concatBytes(textChunks)));
      if (frames.hasPartialFrame()) throw builder.protocolError('the stream ended inside a frame: it was cut off');
      if (stopReason === undefined) throw builder.cutError('the stream ended without a stop reason');
      for (const index of opaqueBlocks.keys()) endBlock(index);
      finish(builder, stopReason);
    },
    partialText: builder.partialText,
  };
}

function textError(builder: MessageBuilder, text: string): Error {
  const value = parseJson(text);
  const message = asText(asFields(value)?.['message']);
  const error = findVendorError(value) ?? (message === undefined ? undefined : { message });
  return error === undefined
    ? builder.protocolError(`the reply is not an event stream but ${describeHtmlPage(text) ?? 'text'}`)
    : builder.vendorError(error);
}

function readCall(builder: MessageBuilder, call: Fields, index: number | undefined, exact: ExactArguments): void {
  const { input, name, toolUseId } = call;
  builder.call({ index, id: asText(toolUseId), name: asText(name), arguments: exact.of(input) });
}

/** Whole blocks and deltas have the same fields. */
function readBlock(builder: MessageBuilder, block: Fields): void {
  builder.text(asText(block['text']) ?? '');
  const cited = asFields(block['citationsContent']);
  for (const piece of asList(cited?.['content'])) builder.text(asText(asFields(piece)?.['text']) ?? '');
  // Whole blocks have a list of citations, deltas have one.
  for (const citation of [...asList(cited?.['citations']), block['citation']]) {
    const fields = asFields(citation);
    if (fields !== undefined) builder.cite(readCitation(fields));
  }
  const reasoning = asFields(block['reasoningContent']);
  if (reasoning === undefined) return;
  const whole = asFields(reasoning['reasoningText']) ?? reasoning;
  builder.reasoning(asText(whole['text']) ?? '');
  const signature = asText(whole['signature']);
  if (signature !== undefined && signature !== '') builder.endPart({ signature });
  const redacted = asText(reasoning['redactedContent']);
  if (redacted !== undefined) {
    builder.endPart();
    builder.endPart({ redacted });
  }
}

function finish(builder: MessageBuilder, stopReason: string | undefined): void {
  if (stopReason === undefined) throw builder.protocolError('the reply has no stop reason');
  const known = REASONS.get(stopReason);
  if (known === 'stop' || known === 'tool-calls') builder.end(builder.hasCalls() ? 'tool-calls' : 'stop');
  else builder.end(known ?? 'other', { dropCalls: true });
}

function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const cachedInputTokens = asNumber(usage?.['cacheReadInputTokens']);
  const cacheWriteTokens = asNumber(usage?.['cacheWriteInputTokens']);
  const cached = (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0);
  const [input, output] = [asNumber(usage?.['inputTokens']), asNumber(usage?.['outputTokens'])];
  return toUsage(input, output, { cachedInputTokens, cacheWriteTokens }, cached);
}
