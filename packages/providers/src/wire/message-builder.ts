import {
  type FinishReason,
  type JsonValue,
  KernelError,
  type Message,
  type ProviderEvent,
  type ProviderWarning,
  type ReasoningPart,
  type TextPart,
  type ToolCall,
  type Usage,
} from '@kernel/protocol';
import { type CallFragment, createCallAssembler } from './call-assembler.ts';
import type { Redactor } from '../http/redact.ts';
import { failureUnder200, type VendorError } from '../http/errors.ts';
import type { ToolCodec } from './tool-encoder.ts';

/** What every decoder needs beside the bytes. @internal */
export interface ReplyContext {
  /** The provider's name: in errors, and in the trace of the message. */
  readonly name: string;
  readonly model: string;
  readonly redactor: Redactor;
  readonly warnings: readonly ProviderWarning[];
  readonly emit: (event: ProviderEvent) => void;
  /** The messages of the request: a call gets an id that none of theirs has. */
  readonly history: readonly Message[];
  /** The ids of all calls in `history`, where they are known. */
  readonly callIds?: ReadonlySet<string> | undefined;
  readonly codec: ToolCodec;
  /** The longest line or frame of a stream; the default limit where it is absent. */
  readonly lineLength?: number | undefined;
}

/** One reply while it comes in: the same for every wire. Parts and calls stay in the order in which they came. @internal */
export interface Reply {
  text(piece: string): void;
  reasoning(piece: string): void;
  /** Ends the part under way; with `providerData`, marks it (or an empty reasoning part) with it. */
  seal(providerData?: JsonValue): void;
  call(fragment: CallFragment, position?: number, of?: number): void;
  usage(usage: Usage | undefined): void;
  model(name: unknown): void;
  /** Emits `message-end`; the calls of a reply that was cut are dropped. Nothing after the first time. */
  end(finish: FinishReason, options?: { readonly dropCalls?: boolean }): void;
  hasCalls(): boolean;
  /** Whether the reply holds anything. */
  hasContent(): boolean;
  isOver(): boolean;
  readonly partialText: () => string;
  /** `PROVIDER_PROTOCOL` with a redacted message. */
  broken(message: string): KernelError;
  /** The error of a reply that failed under status 200. */
  failed(error: VendorError): KernelError;
}

interface OpenPart {
  readonly type: 'text' | 'reasoning';
  readonly pieces: string[];
  providerData: JsonValue | undefined;
}

/** Creates an empty reply. @internal */
export function createReply(context: ReplyContext): Reply {
  const { codec, emit, name, redactor } = context;
  const assembler = createCallAssembler(context.history, context.callIds);
  const order: (OpenPart | number)[] = [];
  let open: OpenPart | undefined;
  let usage: Usage | undefined;
  let model = context.model;
  let over = false;

  function add(type: 'text' | 'reasoning', piece: string): void {
    if (piece === '') return;
    if (open?.type !== type) {
      open = { type, pieces: [], providerData: undefined };
      order.push(open);
    }
    open.pieces.push(piece);
    emit(type === 'text' ? { type: 'text-delta', text: piece } : { type: 'reasoning-delta', text: piece });
  }

  function contentWith(calls: ReadonlyMap<number, ToolCall>): readonly (TextPart | ReasoningPart | ToolCall)[] {
    return order.flatMap((entry): readonly (TextPart | ReasoningPart | ToolCall)[] => {
      if (typeof entry !== 'number') return [toPart(entry)];
      const call = calls.get(entry);
      if (call === undefined) return [];
      const text = codec.restore(call.name, call.arguments);
      return [text === call.arguments ? call : Object.freeze({ ...call, arguments: text })];
    });
  }

  return {
    text: (piece) => add('text', piece),
    reasoning: (piece) => add('reasoning', piece),
    seal(providerData) {
      if (providerData !== undefined) {
        if (open?.type !== 'reasoning') {
          open = { type: 'reasoning', pieces: [], providerData };
          order.push(open);
        }
        open.providerData = providerData;
      }
      open = undefined;
    },
    call(fragment, position, of) {
      const named = fragment.name === undefined ? fragment : { ...fragment, name: codec.nameOf(fragment.name) };
      const before = assembler.size();
      const event = assembler.add(named, position, of);
      if (assembler.size() > before) {
        order.push(before);
        open = undefined;
      }
      if (event !== undefined) emit(event);
    },
    usage(given) {
      usage = given ?? usage;
    },
    model(given) {
      if (typeof given === 'string' && given !== '') model = given;
    },
    end(finish, { dropCalls = false } = {}) {
      if (over) return;
      over = true;
      const cut = dropCalls || finish === 'length' || finish === 'filter' || finish === 'refusal';
      const content = contentWith(cut ? new Map() : assembler.finishByPlace());
      emit({
        type: 'message-end',
        message: Object.freeze({
          role: 'assistant',
          content: Object.freeze(content),
          provider: Object.freeze({ vendor: name, model }),
        }),
        finishReason: finish,
        ...(usage === undefined ? {} : { usage }),
        ...(cut && assembler.size() > 0 ? { droppedCalls: assembler.drop(finish) } : {}),
        ...(context.warnings.length === 0 ? {} : { warnings: context.warnings }),
      });
    },
    hasCalls: () => assembler.size() > 0,
    hasContent: () => order.length > 0,
    isOver: () => over,
    partialText: () =>
      order.map((part) => (typeof part !== 'number' && part.type === 'text' ? part.pieces.join('') : '')).join(''),
    broken: (message) =>
      new KernelError('PROVIDER_PROTOCOL', redactor.redact(`${name}: ${message}.`), { retryable: true }),
    failed: (error) => failureUnder200(name, error, redactor),
  };
}

function toPart({ pieces, providerData, type }: OpenPart): TextPart | ReasoningPart {
  const text = pieces.join('');
  if (type === 'text') return Object.freeze({ type, text });
  return Object.freeze({ type, text, ...(providerData === undefined ? {} : { providerData }) });
}
