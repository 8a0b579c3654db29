import { asFields, asList, asText, type Fields, parseJson, asNumber } from '../../json-fields.ts';
import { createMessageBuilder, type DecoderContext } from '../../wire/message-builder.ts';
import { createBodyReader } from '../../stream/body-reader.ts';
import type { SseEvent } from '../../stream/sse.ts';
import { findVendorError } from '../../http/vendor-error.ts';
import type { ReplyDecoder } from '../../stream/reply-decoder.ts';
import { createSpokenReply, type SpokenReply } from './audio.ts';
import { createCallReader } from './call-reader.ts';
import { createCitationReader } from './citations.ts';
import { createReasoningDetails, type ReasoningDetails } from './reasoning-details.ts';
import { dropsCalls, type FinishReason, type KernelError, type Usage } from '@kernel/protocol';
import { toUsage } from '../../wire/usage.ts';

/** A stream of chunks or one JSON object, whichever the server sends. */
export function createChatDecoder(context: DecoderContext): ReplyDecoder {
  const builder = createMessageBuilder(context);
  const calls = createCallReader(builder, context);
  let finishReason: string | undefined;
  let refused = false;
  let details: ReasoningDetails | undefined;
  let spoken: SpokenReply | undefined;
  const citations = createCitationReader();

  function onEvent({ data, event }: SseEvent): void {
    if (builder.ended()) return;
    if (data.length < SHORTEST_CHUNK && handleEndMark(data)) return;
    const chunk = parseJson(data);
    if (chunk === undefined || event === 'error') return failOn(data, event, chunk);
    calls.begin(data, chunk);
    readChunk(chunk);
    calls.forget();
  }

  /** Ends the reply if the text is the end mark. Returns whether the text is not a chunk: it is the mark, or blank. */
  function handleEndMark(data: string): boolean {
    const mark = data.trim();
    if (mark === '[DONE]') close(true);
    return mark === '[DONE]' || mark === '';
  }

  function failOn(data: string, event: string, chunk: unknown): void {
    if (event === 'error')
      throw builder.vendorError(findVendorError(chunk) ?? { message: asText(asFields(chunk)?.['message']) ?? data });
    const isCutMark = finishReason !== undefined && '[DONE]'.startsWith(data.trim());
    if (!isCutMark) throw builder.invalidJsonError(data);
  }

  function readChunk(chunk: unknown): void {
    const fields = asFields(chunk);
    if (fields === undefined) return throwVendorError(chunk);
    if (fields['error'] || fields['object'] === 'error') throwVendorError(chunk);
    if (fields['usage']) builder.usage(usageOf(fields['usage']));
    builder.model(fields['model']);
    if (fields['citations'] !== undefined || fields['search_results'] !== undefined) citations.readReply(fields);
    for (const entry of asList(fields['choices'])) {
      const choice = asFields(entry);
      if (choice !== undefined && (choice['index'] ?? 0) === 0) readChoice(choice);
    }
  }

  function throwVendorError(chunk: unknown): void {
    const error = findVendorError(chunk);
    if (error !== undefined) throw builder.vendorError(error);
  }

  function readChoice(choice: Fields): void {
    const whole = asFields(choice['message']);
    const delta = asFields(choice['delta']) ?? (builder.hasContent() ? undefined : whole);
    if (delta !== undefined) readDelta(delta, whole !== undefined && delta === whole);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '') finishWith(reason, choice);
  }

  function finishWith(reason: string, choice: Fields): void {
    if (reason === 'error' || reason === 'abort' || reason === 'insufficient_system_resource') {
      const error = findVendorError(choice) ?? { message: `the reply ended with finish_reason "${reason}"` };
      throw builder.vendorError(error);
    }
    finishReason = finishReason === undefined || finishReason === 'stop' ? reason : finishReason;
  }

  function readDelta(delta: Fields, isWhole: boolean): void {
    if (!isSimple(delta)) return readFields(delta, isWhole);
    if (typeof delta['content'] === 'string') builder.text(delta['content']);
    if (delta['tool_calls'] !== undefined) calls.read(delta, isWhole);
  }

  function readFields(delta: Fields, isWhole: boolean): void {
    const reasoning = asText(delta['reasoning_content']) ?? asText(delta['reasoning']);
    const reasoningDetails = delta['reasoning_details'];
    if (reasoningDetails !== undefined) details ??= createReasoningDetails();
    const detailsText = details?.add(reasoningDetails);
    builder.reasoning(reasoning ?? detailsText ?? '');
    const { content, type } = delta;
    // Snowflake has a list of parts as well, or spreads the part over the delta.
    const own = asList(delta['content_list']);
    const parts = [...asList(content), ...own];
    if (typeof content === 'string' && own.length === 0) builder.text(content);
    else {
      const pieces = textPiecesOf(parts);
      // The text of the list begins with the content, where both have it.
      const listed = pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
      if (typeof content === 'string' && !listed.startsWith(content)) builder.text(content);
      for (const piece of pieces) builder[piece.type](piece.text);
    }
    const refusal = asText(delta['refusal']);
    if (refusal !== undefined && refusal !== '') {
      refused = true;
      builder.text(refusal);
    }
    if (delta['audio'] !== undefined && delta['audio'] !== null) {
      spoken ??= createSpokenReply(builder, context.emit, context.audioType);
      spoken.read(delta['audio']);
    }
    citations.readMessage(delta, builder);
    calls.read(delta, isWhole);
    calls.readParts(own.length === 0 && type !== undefined ? [...parts, delta] : parts, type);
  }

  function close(hasEndMark: boolean): void {
    if (builder.ended()) return;
    if (finishReason === undefined && !(hasEndMark && builder.hasContent())) throw withoutEnd();
    endMessage();
  }

  function withoutEnd(): KernelError {
    return builder.protocolError(
      builder.hasContent()
        ? 'the stream ended without a finish reason: it was cut off'
        : 'the reply is empty: it has no message, no finish reason and no error',
    );
  }

  function endMessage(): void {
    calls.end();
    spoken?.end();
    citations.end(builder);
    builder.endPart(details?.complete());
    builder.end(finishReasonOf(finishReason, builder.hasCalls(), refused));
  }

  function onJson(value: unknown, text: string): void {
    calls.begin(text, value);
    readChunk(value);
    if (asList(asFields(value)?.['choices']).length === 0)
      throw builder.protocolError('the reply is JSON without choices');
    // A reply in one piece may lack the finish reason: its JSON is complete, so nothing was cut off.
    close(true);
  }

  const reader = createBodyReader(context.name, { onEvent, onJson }, context.lineLength);
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      close(false);
    },
    hasFinished: () => finishReason !== undefined,
    partialText: builder.partialText,
  };
}

/** Text shorter than this may be an end mark with white space around it, or white space alone. */
const SHORTEST_CHUNK = 64;

/** Whether a delta has text, calls and nothing else, as most have. */
function isSimple(delta: Fields): boolean {
  for (const key in delta) if (key !== 'content' && key !== 'tool_calls' && key !== 'role') return false;
  return typeof delta['content'] !== 'object' || delta['content'] === null;
}

export interface TextPiece {
  readonly type: 'text' | 'reasoning';
  /** Never empty. */
  readonly text: string;
}

/** Mistral and others send content as a list of parts. */
export function textPiecesOf(content: readonly unknown[]): readonly TextPiece[] {
  return content.flatMap((value): readonly TextPiece[] => {
    const part = asFields(value);
    if (part === undefined) return [];
    const text = asText(part['text']) ?? asText(part['refusal']);
    if (text !== undefined) return text === '' ? [] : [{ type: 'text', text }];
    return textPiecesOf(asList(part['thinking'])).map((inner) => ({ type: 'reasoning', text: inner.text }));
  });
}

const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content-filter'],
  ['safety', 'content-filter'],
  ['recitation', 'content-filter'],
  ['refusal', 'refusal'],
]);

/** Calls win over every reason except a cut: servers say `stop` or values of their own although there are calls. A refusal counts only without a cut. */
export function finishReasonOf(reason: string | undefined, hasCalls: boolean, refused: boolean): FinishReason {
  const known = reason === undefined ? undefined : REASONS.get(reason.toLowerCase());
  if (known !== undefined && dropsCalls(known)) return known;
  if (refused) return 'refusal';
  if (hasCalls) return 'tool-calls';
  return known ?? 'other';
}

export function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value) ?? {};
  const [input, output] = [asNumber(usage['prompt_tokens']), asNumber(usage['completion_tokens'])];
  const inputDetails = asFields(usage['prompt_tokens_details']);
  const cachedInputTokens = asNumber(inputDetails?.['cached_tokens']) ?? asNumber(usage['prompt_cache_hit_tokens']);
  const cacheWriteTokens = asNumber(inputDetails?.['cache_write_tokens']);
  const reasoning = asNumber(asFields(usage['completion_tokens_details'])?.['reasoning_tokens']);
  // Some servers (xAI) count reasoning beside the completion, not in it: the total says which.
  const total = asNumber(usage['total_tokens']);
  const isBeside = reasoning !== undefined && total === (input ?? 0) + (output ?? 0) + reasoning;
  const details = { cachedInputTokens, cacheWriteTokens, reasoningTokens: reasoning };
  return toUsage(input, output, details, 0, isBeside ? reasoning : 0);
}
