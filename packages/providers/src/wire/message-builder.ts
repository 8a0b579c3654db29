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
  type ToolCallDelta,
  type Usage,
} from '@kernel/protocol';
import { replyError } from '../http/errors.ts';
import type { VendorError } from '../http/vendor-error.ts';
import type { BackgroundPaths } from '../stream/reply-decoder.ts';
import type { Renaming } from '../schema-dialects/property-names.ts';
import { type CallAssembler, type CallFragment, createCallAssembler } from './call-assembler.ts';
import {
  addWhole,
  type FillingPart,
  type OpenPart,
  redactResult,
  toParts,
  withServerToolCalls,
} from './message-parts.ts';
import type { ToolDecoder } from './tool-encoder.ts';

export interface DecoderContext {
  readonly name: string;
  readonly model: string;
  /** Whether a stream was asked for. */
  readonly streams: boolean;
  readonly redactor: Redactor;
  readonly warnings: readonly ProviderWarning[];
  readonly emit: (event: ProviderEvent) => void;
  readonly toolDecoder: ToolDecoder;
  readonly lineLength?: number | undefined;
  readonly background?: BackgroundPaths | undefined;
  readonly audioType?: string | undefined;
}

/** Fills a reserved place. Calls and results of the vendor's own tools are emitted as well. */
export type FillPlace = (...parts: readonly FillingPart[]) => void;

interface ReservedPlace {
  readonly type: 'reserved';
  parts: readonly FillingPart[];
}

/** Builds the message of a reply, for every wire. Parts and calls keep the order in which they arrived. */
export function createMessageBuilder(context: DecoderContext) {
  const { emit, name, redactor, toolDecoder } = context;
  /** Made with the first call. */
  let assembler: CallAssembler | undefined;
  /** The parts in the order of the reply; a number is the ordinal of a call. */
  const order: (OpenPart | ReservedPlace | number)[] = [];
  let current: OpenPart | undefined;
  let usage: Usage | undefined;
  let model = context.model;
  let spoken = '';
  let isEnded = false;
  /** Calls of tools whose properties have other names on the wire, by ordinal. */
  let renamedCalls: Map<number, { readonly renaming: Renaming; held: string }> | undefined;

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

  function contentWith(calls: ReadonlyMap<number, ToolCall> | undefined): AssistantMessage['content'] {
    return order.flatMap((entry): AssistantMessage['content'] => {
      if (typeof entry !== 'number') return entry.type === 'reserved' ? entry.parts : toParts(entry);
      const call = calls?.get(entry);
      if (call === undefined) return [];
      const text = toolDecoder.restoreArguments(call.name, call.arguments);
      return [text === call.arguments ? call : Object.freeze({ ...call, arguments: text })];
    });
  }

  /** A property is told by the tool's own name for it: text that may begin one waits for the rest. */
  function emitCall(event: ToolCallDelta): void {
    const found = event.name === undefined ? undefined : toolDecoder.renaming(event.name);
    if (found !== undefined) (renamedCalls ??= new Map()).set(event.index, { renaming: found, held: '' });
    const call = renamedCalls?.get(event.index);
    if (call === undefined) {
      emit(event);
      return;
    }
    const text = call.held + event.arguments;
    const end = call.renaming.open.exec(text)?.index ?? text.length;
    call.held = text.slice(end);
    emit({ ...event, arguments: call.renaming.fromWire(text.slice(0, end)) });
  }

  function partialText(): string {
    const texts = order.map((part) => (typeof part !== 'number' && part.type === 'text' ? part.pieces.join('') : ''));
    return texts.join('') + spoken;
  }

  function protocolError(message: string): KernelError {
    return new KernelError('PROVIDER_PROTOCOL', redactor.text(`${name}: ${message}.`), { retryable: true });
  }

  return {
    text: (delta: string) => delta !== '' && add(open('text'), delta),
    /** Words that the model speaks: their part is put into a reserved place. */
    spokenText(delta: string) {
      spoken += delta;
      if (delta !== '') emit({ type: 'text-delta', text: delta });
    },
    reasoning: (delta: string) => delta !== '' && add(open('reasoning'), delta),
    /** `providerData` is attached to the current reasoning part, or to an empty one of its own. */
    endPart(providerData?: JsonValue) {
      if (providerData !== undefined) {
        open('reasoning').providerData = providerData;
      }
      current = undefined;
    },
    /** Cites in the current text, which may not have begun. `data` is the citation as it was received, if it has to go back to the vendor. */
    cite: (citation: Citation, data?: JsonValue) => addCitation(open('text'), citation, data),
    /** Cites in a text that arrived earlier. */
    citeIn: (part: OpenPart, citation: Citation) => addCitation(part, citation),
    /** Does nothing without a text. */
    citeLast(citation: Citation) {
      const text = lastTextPart();
      if (text !== undefined) addCitation(text, citation);
    },
    /** Reserves a place for a part that only the vendor understands or that it ran itself. A place that is never filled was cut off, and is left out. */
    reserve(): FillPlace {
      current = undefined;
      const place: ReservedPlace = { type: 'reserved', parts: [] };
      order.push(place);
      return (...parts) => {
        place.parts = parts.map((part) => redactResult(part, redactor));
        for (const part of place.parts)
          if (part.type === 'server-tool-call' || part.type === 'server-tool-result') emit(part);
      };
    },
    /** The vendor begins its reply again. Throws `PROVIDER_PROTOCOL` if text of the first was emitted already. */
    restart() {
      if (partialText() !== '') throw protocolError('the stream began a second reply after text of the first');
      order.length = 0;
      current = undefined;
      assembler?.restart();
    },
    call(fragment: CallFragment, position?: number, count?: number) {
      const renamed =
        fragment.name === undefined ? fragment : { ...fragment, name: toolDecoder.toolName(fragment.name) };
      assembler ??= createCallAssembler(toolDecoder);
      const before = assembler.size();
      const event = assembler.add(renamed, position, count);
      if (assembler.size() > before) {
        order.push(before);
        current = undefined;
      }
      if (event !== undefined) emitCall(event);
    },
    /** Adds to the arguments of a call, as `call` would; returns false if only `call` can tell which call it is. */
    moreArguments(index: number, text: string, position: number): boolean {
      const event = assembler?.more(index, text, position);
      if (event !== undefined) emitCall(event);
      return event !== undefined;
    },
    /** If `counts` is undefined, the previous ones stay. */
    usage(counts: Usage | undefined) {
      usage = counts ?? usage;
    },
    model(reported: unknown) {
      if (typeof reported === 'string' && reported !== '') model = reported;
    },
    /** Call this once. The calls of a reply that was cut off are dropped. */
    end(finish: FinishReason, { dropCalls = false }: { readonly dropCalls?: boolean } = {}) {
      if (isEnded) return;
      isEnded = true;
      for (const part of order) if (typeof part === 'object' && part.type !== 'reserved') add(part, '', true);
      const drops = dropCalls || dropsCalls(finish);
      const content = contentWith(drops ? undefined : assembler?.finishByIndex());
      const droppedCalls = (assembler?.drop(drops ? finish : undefined) ?? []).map((call) => {
        const renaming = toolDecoder.renaming(call.name);
        return renaming === undefined ? call : { ...call, arguments: renaming.fromWire(call.arguments) };
      });
      emit({
        type: 'message-end',
        message: Object.freeze({
          role: 'assistant',
          // Copied: `flatMap` makes room for 17 parts, which a history would keep.
          content: Object.freeze([...content]),
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
    /** Returns undefined if the last part is not a text. */
    currentText: () => (current?.type === 'text' ? current : undefined),
    lastTextLength: () => lastTextPart()?.length ?? 0,
    protocolError,
    cutError: (what: string) => protocolError(order.length > 0 ? `${what}: it was cut off` : 'the reply is empty'),
    invalidJsonError: (line: string) =>
      protocolError(`the reply has a line that is not valid JSON, or it was cut off: ${sliceHead(line, 80)}`),
    vendorError: (error: VendorError) => replyError(name, error, redactor),
  };
}

export type MessageBuilder = ReturnType<typeof createMessageBuilder>;
