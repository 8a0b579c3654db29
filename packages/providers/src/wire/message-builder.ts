import { type Redactor, sliceHead } from '@kernel/internal';
import {
  type AssistantMessage,
  type Citation,
  dropsCalls,
  type FinishReason,
  type JsonValue,
  KernelError,
  type ProviderEvent,
  type ProviderWarning,
  type ToolCall,
  type Usage,
} from '@kernel/protocol';
import { replyError } from '../http/errors.ts';
import type { VendorError } from '../http/vendor-error.ts';
import type { BackgroundPaths } from '../stream/reply-decoder.ts';
import { type CallFragment, createCallAssembler } from './call-assembler.ts';
import {
  addWhole,
  type FillingPart,
  type OpenPart,
  redactResult,
  toParts,
  withServerToolCalls,
} from './message-parts.ts';
import type { ToolDecoder } from './tool-encoder.ts';

/** What every decoder needs besides the bytes. @internal */
export interface DecoderContext {
  /** The provider's name, for errors and for the `provider` field of the message. */
  readonly name: string;
  /** The model that was asked for. */
  readonly model: string;
  /** Whether a stream was asked for. */
  readonly streams: boolean;
  /** Knows the secrets that must not appear in an error. */
  readonly redactor: Redactor;
  /** The encoder's warnings, for `message-end`. */
  readonly warnings: readonly ProviderWarning[];
  /** Receives the events. */
  readonly emit: (event: ProviderEvent) => void;
  /** Maps calls back to the tools of the request. */
  readonly toolDecoder: ToolDecoder;
  /** The maximum length of a line or frame of a stream. Absent: the default limit. */
  readonly lineLength?: number | undefined;
  /** Where the reply is asked for, if the vendor makes it in the background. */
  readonly background?: BackgroundPaths | undefined;
  /** The media type of what the model was asked to speak. */
  readonly audioType?: string | undefined;
}

/** Builds the message of one reply from what a decoder finds, the same for every wire. Parts and calls keep the order in which they arrived. @internal */
export interface MessageBuilder {
  /** Adds text and emits it. */
  text(delta: string): void;
  /** Emits words that the model speaks: their part is put into a reserved place. */
  spokenText(delta: string): void;
  /** Adds reasoning and emits it. */
  reasoning(delta: string): void;
  /** Ends the current part. `providerData` is attached to the current reasoning part, or to an empty one of its own. */
  endPart(providerData?: JsonValue): void;
  /** Adds a source of the current text, which may not have begun, and emits it. `data` is the citation as it was received, if it goes back. */
  cite(citation: Citation, data?: JsonValue): void;
  /** Adds a source of a text that arrived earlier, and emits it. */
  citeIn(part: OpenPart, citation: Citation): void;
  /** Adds a source of the last text, and emits it. Does nothing without a text. */
  citeLast(citation: Citation): void;
  /**
   * Reserves the place of a part that only the vendor understands, or of what it ran itself. The function that it returns fills it with the part as it
   * was received; a part that is never filled was cut off, and is left out.
   */
  reserve(): FillPlace;
  /** The vendor begins its reply anew: what came before is given up. Throws `PROVIDER_PROTOCOL` if its text is with the consumer already. */
  restart(): void;
  /** Adds a fragment of a tool call and emits it. */
  call(fragment: CallFragment, position?: number, count?: number): void;
  /** Sets the token counts; undefined keeps the previous ones. */
  usage(usage: Usage | undefined): void;
  /** Sets the model's name, if this is one. */
  model(name: unknown): void;
  /** Emits `message-end`, once; the calls of a reply that was cut off are dropped. */
  end(finish: FinishReason, options?: { readonly dropCalls?: boolean }): void;
  /** Whether a tool call has begun. */
  hasCalls(): boolean;
  /** Whether the reply has any content. */
  hasContent(): boolean;
  /** Whether `message-end` was emitted. */
  ended(): boolean;
  /** The text so far. */
  readonly partialText: () => string;
  /** The text that is arriving; undefined where the last part is none. */
  currentText(): OpenPart | undefined;
  /** The length of the last text part; 0 if there is none. */
  lastTextLength(): number;
  /** Creates a `PROVIDER_PROTOCOL` error with a redacted message. */
  protocolError(message: string): KernelError;
  /** Creates the `PROVIDER_PROTOCOL` error of a line that is not valid JSON. */
  invalidJsonError(line: string): KernelError;
  /** Creates the error of a reply that failed under status 200. */
  vendorError(error: VendorError): KernelError;
}

/** Fills a reserved place; what the vendor ran is emitted as well. @internal */
export type FillPlace = (...parts: readonly FillingPart[]) => void;

interface ReservedPlace {
  readonly type: 'reserved';
  parts: readonly FillingPart[];
}

/** Creates a builder for one reply. @internal */
export function createMessageBuilder(context: DecoderContext): MessageBuilder {
  const { emit, name, redactor, toolDecoder } = context;
  const assembler = createCallAssembler();
  /** Parts, and the ordinals of calls. */
  const order: (OpenPart | ReservedPlace | number)[] = [];
  let current: OpenPart | undefined;
  let usage: Usage | undefined;
  let model = context.model;
  let spoken = '';
  let isEnded = false;

  function open(type: OpenPart['type']): OpenPart {
    if (current?.type === type) return current;
    current = { type, pieces: [], half: '', length: 0, providerData: undefined };
    order.push(current);
    return current;
  }

  function add(part: OpenPart, delta: string, isEnd = false): void {
    const text = addWhole(part, delta, isEnd);
    if (text !== '') emit({ type: part.type === 'text' ? 'text-delta' : 'reasoning-delta', text });
  }

  function lastTextPart(): OpenPart | undefined {
    const last = order.findLast((entry) => typeof entry === 'object' && entry.type === 'text');
    return typeof last === 'object' && last.type !== 'reserved' ? last : undefined;
  }

  function addCitation(text: OpenPart, citation: Citation, data?: JsonValue): void {
    text.citations ??= { read: [], received: [] };
    text.citations.read.push(citation);
    if (data !== undefined) text.citations.received.push(data);
    emit({ type: 'citation', citation });
  }

  function contentWith(calls: ReadonlyMap<number, ToolCall>): AssistantMessage['content'] {
    return order.flatMap((entry): AssistantMessage['content'] => {
      if (typeof entry !== 'number') return entry.type === 'reserved' ? entry.parts : toParts(entry);
      const call = calls.get(entry);
      if (call === undefined) return [];
      const text = toolDecoder.restoreArguments(call.name, call.arguments);
      return [text === call.arguments ? call : Object.freeze({ ...call, arguments: text })];
    });
  }

  function partialText(): string {
    const texts = order.map((part) => (typeof part !== 'number' && part.type === 'text' ? part.pieces.join('') : ''));
    return texts.join('') + spoken;
  }

  function protocolError(message: string): KernelError {
    return new KernelError('PROVIDER_PROTOCOL', redactor.text(`${name}: ${message}.`), { retryable: true });
  }

  return {
    text: (delta) => delta !== '' && add(open('text'), delta),
    spokenText(delta) {
      spoken += delta;
      if (delta !== '') emit({ type: 'text-delta', text: delta });
    },
    reasoning: (delta) => delta !== '' && add(open('reasoning'), delta),
    endPart(providerData) {
      if (providerData !== undefined) {
        open('reasoning').providerData = providerData;
      }
      current = undefined;
    },
    cite: (citation, data) => addCitation(open('text'), citation, data),
    citeIn: (part, citation) => addCitation(part, citation),
    citeLast(citation) {
      const text = lastTextPart();
      if (text !== undefined) addCitation(text, citation);
    },
    reserve() {
      current = undefined;
      const place: ReservedPlace = { type: 'reserved', parts: [] };
      order.push(place);
      return (...parts) => {
        place.parts = parts.map((part) => redactResult(part, redactor));
        for (const part of place.parts)
          if (part.type === 'server-tool-call' || part.type === 'server-tool-result') emit(part);
      };
    },
    restart() {
      if (partialText() !== '') throw protocolError('the stream began a second reply after text of the first');
      order.length = 0;
      current = undefined;
      assembler.restart();
    },
    call(fragment, position, count) {
      const renamed =
        fragment.name === undefined ? fragment : { ...fragment, name: toolDecoder.toolName(fragment.name) };
      const before = assembler.size();
      const event = assembler.add(renamed, position, count);
      if (assembler.size() > before) {
        order.push(before);
        current = undefined;
      }
      if (event !== undefined) emit(event);
    },
    usage(counts) {
      usage = counts ?? usage;
    },
    model(reported) {
      if (typeof reported === 'string' && reported !== '') model = reported;
    },
    end(finish, { dropCalls = false } = {}) {
      if (isEnded) return;
      isEnded = true;
      for (const part of order) if (typeof part === 'object' && part.type !== 'reserved') add(part, '', true);
      const drops = dropCalls || dropsCalls(finish);
      const content = contentWith(drops ? new Map() : assembler.finishByIndex());
      const droppedCalls = assembler.drop(drops ? finish : undefined);
      emit({
        type: 'message-end',
        message: Object.freeze({
          role: 'assistant',
          content: Object.freeze(content),
          provider: Object.freeze({ vendor: name, model }),
        }),
        finishReason: finish,
        ...(usage === undefined ? {} : { usage: withServerToolCalls(usage, content) }),
        ...(droppedCalls.length === 0 ? {} : { droppedCalls }),
        ...(context.warnings.length === 0 ? {} : { warnings: context.warnings }),
      });
    },
    hasCalls: () => order.some((entry) => typeof entry === 'number'),
    hasContent: () => order.length > 0,
    ended: () => isEnded,
    partialText,
    currentText: () => (current?.type === 'text' ? current : undefined),
    lastTextLength: () => lastTextPart()?.length ?? 0,
    protocolError,
    invalidJsonError: (line) =>
      protocolError(`the reply has a line that is not valid JSON, or it was cut off: ${sliceHead(line, 80)}`),
    vendorError: (error) => replyError(name, error, redactor),
  };
}
