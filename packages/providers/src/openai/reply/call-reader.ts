import { asFields, asNumber, asText, type Fields, toJson } from '../../json-fields.ts';
import { type CallTypes, isCall } from '../../wire/tool-encoder.ts';
import { createExactArguments } from '../../wire/arguments.ts';
import type { DecoderContext, MessageBuilder } from '../../wire/message-builder.ts';
import { opaquePart } from '../../wire/message-parts.ts';

/** Entries of `tool_calls` may leave their `type` out. */
export const CHAT_CALLS: CallTypes = { calls: ['function', 'tool_use'], vendor: [] };

/** A call of a custom tool, whose input is text. */
interface TextCall {
  readonly index: number | undefined;
  readonly id: string | undefined;
  input: string;
}

/** A piece of a call of an unknown type, with its arguments as they were written. */
interface Piece {
  readonly call: Fields;
  readonly inner: Fields;
  readonly arguments: unknown;
}

export function createCallReader(builder: MessageBuilder, { toolDecoder }: DecoderContext) {
  const exact = createExactArguments('arguments');
  // Made when they are first used: most replies have no call, and most calls are of functions.
  let opaque: Map<number, OpaqueCall> | undefined;
  /** The types of calls that are not of functions; only the first piece of a call has its type. */
  let types: Map<number, string> | undefined;
  let textCalls: Map<number, TextCall> | undefined;
  /** Pieces whose name has not arrived, without which nobody can tell whether they are of a call. */
  let undecided: Map<number, Piece[]> | undefined;
  /** The ids of the listed calls; `undefined` stands for those without an id. */
  let listed: Set<string | undefined> | undefined;

  function readEntry(value: unknown, position: number, count: number, isWhole: boolean): void {
    const call = asFields(value);
    if (call !== undefined && (isWhole || !readContinuation(call, position))) readCall(call, position, count, isWhole);
  }

  function readCall(call: Fields, position: number, count: number, isWhole: boolean): void {
    const index = isWhole ? position : asNumber(call['index']);
    const key = index ?? position;
    const earlier = undecided?.get(key);
    const type =
      asText(call['type'] ?? earlier?.[0]?.call['type']) ||
      types?.get(key) ||
      (call['custom'] === undefined ? 'function' : 'custom');
    const inner = asFields(call['function']) ?? asFields(call[type]) ?? call;
    const piece = { call, inner, arguments: exact.of(inner['arguments'] ?? inner['input']) };
    const name = asText(inner['name']);
    const isKnown = types?.has(key) === true || isCall(CHAT_CALLS, type, name, toolDecoder);
    if (!isKnown && name === undefined && !isWhole && opaque?.has(key) !== true) {
      if (earlier === undefined) (undecided ??= new Map()).set(key, [piece]);
      else earlier.push(piece);
      return;
    }
    if (earlier !== undefined) undecided?.delete(key);
    const isOpaque = opaque?.has(key) === true || !isKnown;
    if (!isOpaque && type !== 'function') (types ??= new Map()).set(key, type);
    const read = (each: Piece): void =>
      isOpaque ? keepOpaque(key, each.call) : readPiece(each, { index, position, count, isText: type === 'custom' });
    earlier?.forEach(read);
    read(piece);
  }

  /**
   * The short way: reads a piece that has nothing but more of the arguments of a function call that is known by its index, as most pieces are. Returns false for
   * any other, which `readCall` reads. Both give the same events: test/openai/call-reader.test.ts compares them.
   */
  function readContinuation(call: Fields, position: number): boolean {
    const { index } = call;
    if (typeof index !== 'number' || undecided !== undefined || types !== undefined || opaque !== undefined)
      return false;
    for (const key in call) if (key !== 'index' && key !== 'function' && call[key] !== 'function') return false;
    const { arguments: text, name } = asFields(call['function']) ?? {};
    return typeof text === 'string' && name === undefined && builder.moreArguments(index, text, position);
  }

  function readPiece(
    { arguments: text, call, inner }: Piece,
    { count, index, isText, position }: { index: number | undefined; position: number; count: number; isText: boolean },
  ): void {
    const id = asText(call['id']);
    if (isText) {
      const key = index ?? position;
      textCalls ??= new Map();
      const known = textCalls.get(key) ?? { index, id, input: '' };
      known.input += asText(inner['input']) ?? '';
      textCalls.set(key, known);
    }
    if (id !== undefined || asText(inner['name']) !== undefined) (listed ??= new Set()).add(id);
    builder.call(
      {
        index,
        id,
        name: asText(inner['name']),
        arguments: isText ? '' : text,
        providerData: toJson(call['extra_content'] ?? undefined),
      },
      position,
      count,
    );
  }

  function keepOpaque(key: number, call: Fields): void {
    opaque ??= new Map();
    const known = opaque.get(key) ?? createOpaqueCall(keepIn(builder));
    opaque.set(key, known);
    known.add(call);
  }

  return {
    /** The JSON that is read from now on, as text and parsed. */
    begin: exact.read,
    /** Ends what `begin` began. */
    forget: exact.forget,
    read(message: Fields, isWhole: boolean) {
      const list = message['tool_calls'];
      if (Array.isArray(list))
        for (let at = 0; at < list.length; at += 1) readEntry(list[at], at, list.length, isWhole);
      const legacyCall = asFields(message['function_call']);
      if (legacyCall !== undefined) readEntry({ index: 0, function: legacyCall }, 0, 1, false);
    },
    /** Reads calls among the parts of the content, except those that `tool_calls` has as well. */
    readParts(parts: readonly unknown[], type: unknown) {
      for (const entry of parts) {
        const part = asFields(entry) ?? {};
        const partType =
          asText(part['type'] ?? type) ?? CHAT_CALLS.calls.find((kind) => asFields(part[kind]) !== undefined) ?? '';
        const call = asFields(part[partType]) ?? part;
        const name = asText(call['name']);
        if (partType === 'text' || !isCall(CHAT_CALLS, partType, name, toolDecoder)) continue;
        const id = asText(call['tool_use_id'] ?? call['id']);
        // If the ids are missing, a call among the parts cannot be told from one of the list.
        if (listed !== undefined && (listed.has(id) || listed.has(undefined) || id === undefined)) continue;
        builder.call({ id, name, arguments: exact.of(call['input'] ?? call['arguments'], 'input') });
      }
    },
    end() {
      for (const [key, pieces] of undecided ?? []) for (const { call } of pieces) keepOpaque(key, call);
      for (const { id, index, input } of textCalls?.values() ?? [])
        builder.call({ index, id, arguments: JSON.stringify({ input }) });
    },
  };
}

function keepIn(builder: MessageBuilder): (kind: string, call: Fields) => void {
  const fill = builder.reserve();
  return (kind, call) => fill(opaquePart(kind, call));
}

/** The end of the kinds of opaque parts that are calls. */
const SUFFIX = '_tool_call';
/** Fields that a delta repeats instead of continuing them. */
const WHOLE = new Set(['id', 'type', 'name']);

/** A call of a tool that is not a function: it is kept for the vendor and never runs. */
export interface OpaqueCall {
  add(piece: Fields): void;
}

export function isOpaqueCallKind(kind: string): boolean {
  return kind.endsWith(SUFFIX);
}

/** After each piece, `keep` gets the call as the vendor would have sent it in one piece. */
export function createOpaqueCall(keep: (kind: string, call: Fields) => void): OpaqueCall {
  let call: Fields = {};
  return {
    add({ index: _index, ...piece }) {
      call = joined(call, piece, false);
      keep(`${asText(call['type']) ?? 'custom'}${SUFFIX}`, call);
    },
  };
}

/** Objects are joined, text inside of them is appended, anything else replaces what was there. */
function joined(before: Fields, delta: Fields, appends: boolean): Fields {
  const fields = new Map(Object.entries(before));
  const isFirst = fields.size === 0;
  for (const [key, value] of Object.entries(delta)) {
    const known = fields.get(key);
    const [inner, piece] = [asFields(known), asFields(value)];
    if (inner !== undefined && piece !== undefined) fields.set(key, joined(inner, piece, true));
    else if (appends && !WHOLE.has(key) && typeof known === 'string' && typeof value === 'string')
      fields.set(key, known + value);
    // In a later delta, null means that it has nothing to add.
    else if (isFirst || value !== null) fields.set(key, value);
  }
  return Object.fromEntries(fields);
}
