import {
  type FinishReason,
  type JsonValue,
  KernelError,
  type MessageEnd,
  type ProviderEvent,
  type ProviderWarning,
  type Usage,
} from '@kernel/protocol';
import { type CallAssembler, createCallAssembler } from '../assemble.ts';
import { asFields, asList, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { createPartList } from '../part-list.ts';
import type { Redactor } from '../transport/redact.ts';
import { createReplyReader } from '../transport/reply-reader.ts';
import type { SseEvent } from '../transport/sse.ts';
import { failureUnder200, findVendorError } from '../transport/vendor-error.ts';
import type { ReplyDecoder } from '../transport/wire-stream.ts';
import { finishReasonOf } from './finish.ts';
import { textsOf } from './content.ts';
import { usageOf } from './usage.ts';

/** What a decoder needs beside the bytes. @internal */
export interface ChatDecoderOptions {
  readonly name: string;
  readonly model: string;
  readonly redactor: Redactor;
  readonly warnings: readonly ProviderWarning[];
  readonly emit: (event: ProviderEvent) => void;
  /** The ids of the calls in the history; read only when the reply has calls. */
  readonly usedIds: () => ReadonlySet<string>;
}

/** Creates the decoder of one chat-completions reply: a stream of chunks or one JSON object, whichever the server sends. */
export function createChatDecoder(options: ChatDecoderOptions): ReplyDecoder {
  const { emit, name, redactor } = options;
  const parts = createPartList(emit);
  const calls: CallAssembler = createCallAssembler(options.usedIds);
  let model = options.model;
  let finish: string | undefined;
  let refused = false;
  let usage: Usage | undefined;
  let seen = false;
  let over = false;

  function onEvent({ data, event }: SseEvent): void {
    if (over) return;
    if (data === '[DONE]' || data.trim() === '[DONE]') {
      close(true);
      return;
    }
    if (data.trim() === '') return;
    const chunk = parseJson(data);
    if (event === 'error') throw failure(chunk, data);
    if (chunk === undefined) {
      if (finish !== undefined && '[DONE]'.startsWith(data.trim())) return;
      throw protocol(`the stream has a line that is no JSON, or it was cut: ${data.slice(0, 80)}`);
    }
    takeChunk(chunk);
  }

  function takeChunk(chunk: unknown): void {
    const fields = asFields(chunk);
    if (fields === undefined || fields['error'] || fields['object'] === 'error') {
      const error = findVendorError(chunk);
      if (error !== undefined) throw failureUnder200(name, error, redactor);
      if (fields === undefined) return;
    }
    if (fields['usage']) usage = usageOf(fields['usage']) ?? usage;
    if (typeof fields['model'] === 'string' && fields['model'] !== '') model = fields['model'];
    const choices = fields['choices'];
    if (!Array.isArray(choices)) return;
    for (const entry of choices) {
      const choice = asFields(entry);
      if (choice !== undefined && (choice['index'] ?? 0) === 0) takeChoice(choice);
    }
  }

  function takeChoice(choice: Fields): void {
    const whole = asFields(choice['message']);
    const delta = asFields(choice['delta']) ?? (seen ? undefined : whole);
    if (delta !== undefined) takeDelta(delta, whole !== undefined && delta === whole);
    const reason = choice['finish_reason'];
    if (typeof reason !== 'string' || reason === '') return;
    if (reason === 'error' || reason === 'abort' || reason === 'insufficient_system_resource') {
      const error = findVendorError(choice) ?? { message: `the reply ended with finish_reason "${reason}"` };
      throw failureUnder200(name, error, redactor);
    }
    finish = finish === undefined || finish === 'stop' ? reason : finish;
  }

  function takeDelta(delta: Fields, whole: boolean): void {
    const reasoning = asText(delta['reasoning_content']) ?? asText(delta['reasoning']);
    if (reasoning !== undefined && reasoning !== '') add('reasoning', reasoning);
    const { content } = delta;
    if (typeof content === 'string') {
      if (content !== '') add('text', content);
    } else if (Array.isArray(content)) {
      for (const piece of textsOf(content)) add(piece.type, piece.text);
    }
    const refusal = asText(delta['refusal']);
    if (refusal !== undefined && refusal !== '') {
      refused = true;
      add('text', refusal);
    }
    const list = delta['tool_calls'];
    if (Array.isArray(list)) for (const [at, call] of list.entries()) takeCall(call, at, list.length, whole);
    const legacy = asFields(delta['function_call']);
    if (legacy !== undefined) takeCall({ index: 0, function: legacy }, 0, 1, false);
  }

  function add(type: 'text' | 'reasoning', text: string): void {
    seen = true;
    parts.add(type, text);
  }

  function takeCall(value: unknown, position: number, of: number, whole: boolean): void {
    const call = asFields(value);
    if (call === undefined) return;
    const fn = asFields(call['function']) ?? call;
    const event = calls.add(
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
    seen = true;
    if (event !== undefined) emit(event);
  }

  function close(marked: boolean): void {
    if (over) return;
    if (finish === undefined && !(marked && seen)) {
      throw protocol(
        seen
          ? 'the stream ended without a finish reason: it was cut'
          : 'the reply is empty: it holds no message, no finish reason and no error',
      );
    }
    over = true;
    const reason = finishReasonOf(finish, calls.size > 0, refused);
    emit(messageEnd(reason));
  }

  function messageEnd(finishReason: FinishReason): MessageEnd {
    const cut = finishReason === 'length' || finishReason === 'filter' || finishReason === 'refusal';
    const content = [...parts.list(), ...(cut ? [] : calls.finish())];
    return {
      type: 'message-end',
      message: Object.freeze({
        role: 'assistant',
        content: Object.freeze(content),
        provider: Object.freeze({ vendor: name, model }),
      }),
      finishReason,
      ...(usage === undefined ? {} : { usage }),
      ...(cut && calls.size > 0 ? { droppedCalls: calls.drop(finishReason) } : {}),
      ...(options.warnings.length === 0 ? {} : { warnings: options.warnings }),
    };
  }

  function failure(chunk: unknown, data: string): KernelError {
    const found = findVendorError(chunk) ?? { message: asText(asFields(chunk)?.['message']) ?? data };
    return failureUnder200(name, found, redactor);
  }

  function protocol(message: string): KernelError {
    return new KernelError('PROVIDER_PROTOCOL', redactor.redact(`${name}: ${message}.`), { retryable: true });
  }

  function onJson(value: unknown): void {
    takeChunk(value);
    if (asList(asFields(value)?.['choices']).length === 0) throw protocol('the reply is JSON, but holds no choices');
    // A whole reply may lack the finish reason: the JSON is complete, so nothing was cut.
    close(true);
  }

  const reader = createReplyReader(name, { onEvent, onJson });
  return {
    push: (bytes) => reader.push(bytes),
    end() {
      reader.end();
      close(false);
    },
    partialText: () => parts.text(),
  };
}
