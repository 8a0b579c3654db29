import type { FinishReason, ServerToolCall, ServerToolResult, Usage } from '@kernel/protocol';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { type CallTypes, isCall } from '../wire/tool-encoder.ts';
import { createExactArguments } from '../wire/arguments.ts';
import { serverToolCall, serverToolResult } from '../wire/server-tools/parts.ts';
import { createMessageBuilder, type DecoderContext } from '../wire/message-builder.ts';
import { opaquePart } from '../wire/message-parts.ts';
import { createBodyReader } from '../stream/body-reader.ts';
import type { SseEvent } from '../stream/sse.ts';
import { findVendorError } from '../http/vendor-error.ts';
import type { ReplyDecoder } from '../stream/reply-decoder.ts';
import { readGrounding, readSupports, readUrlContext, createTextRanges } from './grounding.ts';
import { createPartialArguments, type PartialArguments } from './partial-arguments.ts';
import { toUsage } from '../wire/usage.ts';

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['STOP', 'stop'],
  // The vendor has no such value, but servers that speak its API send it.
  ['FUNCTION_CALL', 'tool-calls'],
  ['MAX_TOKENS', 'length'],
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'].map(
    (reason) => [reason, 'content-filter'] as const,
  ),
]);

export const GENERATE_CONTENT_CALLS: CallTypes = {
  calls: ['functionCall'],
  vendor: ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'],
};

/** Fields of a part that say something about its content. */
const PART_FIELDS = new Set(['thought', 'thoughtSignature', 'videoMetadata', 'partMetadata']);

/** Server-sent events, one JSON object, or a JSON array of chunks. */
export function createGeminiDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const exact = createExactArguments('args');
  const ranges = createTextRanges();
  let finishReason: string | undefined;
  let blocked = false;
  let callCount = 0;
  let codeCount = 0;
  let grounding: Fields | undefined;
  let urlContext: Fields | undefined;
  /** The call whose arguments arrive in pieces, until its last piece. */
  let open: { readonly index: number; readonly input: PartialArguments } | undefined;

  function onEvent({ data }: SseEvent): void {
    if (data.trim() === '' || data.trim() === '[DONE]') return;
    const chunk = parseJson(data);
    if (chunk === undefined) throw builder.invalidJsonError(data);
    exact.read(data, chunk);
    readChunk(chunk);
    exact.forget();
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
    ranges.beginChunk();
    for (const part of asList(asFields(candidate['content'])?.['parts'])) readPart(asFields(part) ?? {});
    finishReason = asText(candidate['finishReason']) ?? finishReason;
    grounding = asFields(candidate['groundingMetadata']) ?? grounding;
    urlContext = asFields(candidate['urlContextMetadata'] ?? candidate['url_context_metadata']) ?? urlContext;
  }

  function readCode(kind: string, part: Fields): ServerToolCall | ServerToolResult | undefined {
    const value = asFields(part[kind]) ?? {};
    const name = 'code_execution';
    if (kind === 'executableCode') {
      codeCount += 1;
      const { language, code } = value;
      return serverToolCall({ id: `${name}_${codeCount}`, name, input: { language, code }, data: part });
    }
    if (kind !== 'codeExecutionResult') return undefined;
    const isError = value['outcome'] !== 'OUTCOME_OK';
    return serverToolResult({
      callId: `${name}_${codeCount}`,
      name,
      text: asText(value['output']),
      isError,
      data: part,
    });
  }

  /** What a search found comes with the last chunks, apart from the parts. */
  function addGrounding(): void {
    if (grounding !== undefined) {
      for (const { part, citation } of readSupports(grounding, ranges)) builder.citeIn(part, citation);
      builder.reserve()(...readGrounding(grounding));
    }
    if (urlContext !== undefined) builder.reserve()(...readUrlContext(urlContext));
  }

  function readPart(part: Fields): void {
    const signature = asText(part['thoughtSignature']);
    const providerData = signature === undefined ? undefined : { thoughtSignature: signature };
    const text = asText(part['text']);
    const kind =
      'functionCall' in part
        ? 'functionCall'
        : Object.keys(part).find((key) => !PART_FIELDS.has(key) && key !== 'text');
    const fields = asFields(part[kind ?? '']);
    const call = isCall(GENERATE_CONTENT_CALLS, kind ?? '', asText(fields?.['name']), context.toolDecoder)
      ? fields
      : undefined;
    // A call that a gateway has put together with the text before it has both.
    if (text === undefined || (text === '' && call !== undefined)) ranges.add(kind ?? '', 0, undefined);
    else {
      const isThought = part['thought'] === true;
      if (isThought) builder.reasoning(text);
      else builder.text(text);
      ranges.add(isThought ? 'thought' : 'text', text.length, builder.currentText());
    }
    if (call !== undefined) readCall(call, providerData);
    else if (text === undefined && kind !== undefined)
      builder.reserve()(readCode(kind, part) ?? opaquePart(kind, part));
    else if (providerData !== undefined) builder.endPart(providerData);
  }

  function readCall(call: Fields, providerData: { readonly thoughtSignature: string } | undefined): void {
    const id = asText(call['id']);
    const name = asText(call['name']);
    const continues = call['willContinue'] === true;
    const isPiece = continues || call['partialArgs'] !== undefined || (open !== undefined && name === undefined);
    const data = providerData === undefined ? {} : { providerData };
    if (!isPiece || name !== undefined) {
      if (open !== undefined) throw cutError();
      // Each named part is a call of its own; two equal parts are two calls.
      const index = callCount;
      callCount += 1;
      builder.call({
        index,
        id,
        name,
        arguments: isPiece ? '' : exact.of(call['args'] ?? call['arguments'] ?? call['input']),
        ...data,
      });
      if (!isPiece) return;
      open = { index, input: createPartialArguments(call['args']) };
    }
    if (open === undefined) throw builder.protocolError('the reply continues a call that has not begun');
    const problem = open.input.add(asList(call['partialArgs']));
    if (problem !== undefined) throw builder.protocolError(problem);
    if (providerData !== undefined && name === undefined) builder.call({ index: open.index, ...data });
    if (!continues) endCall(open);
  }

  function endCall({ index, input }: { readonly index: number; readonly input: PartialArguments }): void {
    if (!input.isComplete()) throw cutError();
    builder.call({ index, arguments: input.text() });
    open = undefined;
  }

  function cutError(): Error {
    return builder.protocolError('the arguments of a call ended before they were complete: they were cut off');
  }

  function close(): void {
    if (finishReason === undefined) {
      if (blocked) {
        builder.end('content-filter');
        return;
      }
      throw builder.protocolError(
        builder.hasContent()
          ? 'the stream ended without a finish reason: it was cut off'
          : 'the reply has no candidate',
      );
    }
    addGrounding();
    const known = REASONS.get(finishReason);
    if (open !== undefined && (known === 'stop' || known === 'tool-calls')) throw cutError();
    // What had arrived of a call that was cut: it does not run.
    if (open !== undefined) builder.call({ index: open.index, arguments: open.input.text() });
    if (known === 'stop' || known === 'tool-calls') builder.end(builder.hasCalls() ? 'tool-calls' : 'stop');
    // A malformed call, or an unknown reason: nothing in the reply may run.
    else builder.end(known ?? 'other', { dropCalls: true });
  }

  function onJson(value: unknown, text: string): void {
    exact.read(text, value);
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
  const count = (key: string): number | undefined => asNumber(usage?.[key]);
  const reasoningTokens = count('thoughtsTokenCount');
  const details = { cachedInputTokens: count('cachedContentTokenCount'), reasoningTokens };
  const [input, output] = [count('promptTokenCount'), count('candidatesTokenCount')];
  return toUsage(input, output, details, count('toolUsePromptTokenCount'), reasoningTokens);
}
