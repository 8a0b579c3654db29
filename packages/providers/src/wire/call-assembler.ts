import {
  type DroppedCall,
  type FinishReason,
  KernelError,
  type Message,
  type JsonValue,
  type ToolCall,
  type ToolCallDelta,
} from '@kernel/protocol';
import { asFields, parseJson } from '../json-fields.ts';
import { uniqueCallIds } from './call-ids.ts';

/** A piece of a tool call as a wire carries it. Every field may be missing, repeated or wrong. */
export interface CallFragment {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Text, or an object where a vendor sends the whole input at once. */
  readonly arguments?: unknown;
  /** Goes to the call's `providerData`; the last one wins. */
  readonly providerData?: JsonValue | undefined;
}

/** Joins the fragments of one reply's calls: the only place that joins argument text. */
export interface CallAssembler {
  /** Takes one fragment; `position` is its place among the `of` fragments of its chunk. Returns what to show. */
  add(fragment: CallFragment, position?: number, of?: number): ToolCallDelta | undefined;
  size(): number;
  /** The whole calls in order of appearance. Throws `PROVIDER_PROTOCOL` for a call that never got a name. */
  finish(): readonly ToolCall[];
  /** The same by their place: the `index` of their deltas. */
  finishByPlace(): ReadonlyMap<number, ToolCall>;
  /** The same for a reply whose calls must not run; never throws. */
  drop(reason: FinishReason): readonly DroppedCall[];
}

interface OpenCall {
  readonly ordinal: number;
  readonly index: number | undefined;
  id: string;
  name: string;
  readonly pieces: string[];
  readonly scan: Scan;
  providerData: JsonValue | undefined;
}

/**
 * Creates an assembler. Fragments belong together by index, then id, then position. A fragment that names another call, or
 * that begins a second argument object, opens a new call; one that repeats the whole arguments adds nothing.
 * An id that is empty, or that a call of the history has, gets a made one, the same for the same reply.
 */
export function createCallAssembler(history: readonly Message[], callIds?: ReadonlySet<string>): CallAssembler {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();
  const byPosition = new Map<number, OpenCall>();

  function find(fragment: CallFragment, position: number, of: number): OpenCall | undefined {
    const { id, index } = fragment;
    if (index !== undefined) {
      const known = id === undefined ? undefined : byId.get(id);
      const indexed = byIndex.get(index);
      if (known !== undefined && (known.index === index || (known.index === undefined && indexed === undefined)))
        return known;
      return indexed;
    }
    if (id !== undefined) return byId.get(id);
    return of === 1 ? calls.at(-1) : byPosition.get(position);
  }

  function open(fragment: CallFragment, position: number): OpenCall {
    const call: OpenCall = {
      ordinal: calls.length,
      index: fragment.index,
      id: fragment.id ?? '',
      name: '',
      pieces: [],
      scan: { piece: 0, depth: 0, inText: false, escaped: false, complete: false },
      providerData: undefined,
    };
    calls.push(call);
    return remember(call, fragment, position);
  }

  function remember(call: OpenCall, fragment: CallFragment, position: number): OpenCall {
    if (fragment.index !== undefined) byIndex.set(fragment.index, call);
    if (fragment.id !== undefined) byId.set(fragment.id, call);
    byPosition.set(position, call);
    return call;
  }

  function finishByPlace(): ReadonlyMap<number, ToolCall> {
    // An id without a name and without arguments announced nothing.
    const real = calls.filter(({ name, pieces }) => name !== '' || pieces.length > 0);
    const ids = uniqueCallIds(real, history, callIds);
    return new Map(real.map((call, at) => [call.ordinal, toCall(call, ids[at] ?? call.id, real.length)]));
  }

  return {
    size: () => calls.length,
    add(raw, position = 0, of = 1) {
      const { index, providerData } = raw;
      const fragment = { index, id: blankToNothing(raw.id), name: blankToNothing(raw.name), providerData };
      const text = argumentText(raw.arguments);
      const found = find(fragment, position, of);
      const relation = found === undefined ? 'new' : relate(found, fragment, text);
      if (relation === 'repeat') return undefined;
      if (relation === 'new' && isBlank(fragment, text)) return undefined;
      const call =
        found === undefined || relation === 'new' ? open(fragment, position) : remember(found, fragment, position);
      const named = call.name === '' && fragment.name !== undefined;
      const identified = fragment.id !== undefined && (relation === 'new' || call.id === '');
      if (fragment.name !== undefined) call.name = fragment.name;
      if (fragment.id !== undefined && call.id === '') call.id = fragment.id;
      if (text !== '') call.pieces.push(text);
      if (fragment.providerData !== undefined) call.providerData = fragment.providerData;
      if (!identified && !named) return { type: 'tool-call-delta', index: call.ordinal, arguments: text };
      return {
        type: 'tool-call-delta',
        index: call.ordinal,
        ...(identified ? { id: call.id } : {}),
        ...(named ? { name: call.name } : {}),
        arguments: text,
      };
    },
    finish: () => [...finishByPlace().values()],
    finishByPlace,
    drop(reason) {
      const ids = uniqueCallIds(calls, history, callIds);
      return calls.map((call, at) => ({
        id: ids[at] ?? call.id,
        name: call.name,
        arguments: call.pieces.join(''),
        reason,
      }));
    },
  };
}

function toCall({ name, ordinal, pieces, providerData }: OpenCall, id: string, of: number): ToolCall {
  if (name === '') {
    throw new KernelError(
      'PROVIDER_PROTOCOL',
      `The reply has a tool call without a name (call ${ordinal + 1} of ${of}).`,
    );
  }
  return Object.freeze({
    type: 'tool-call' as const,
    id,
    name,
    arguments: wholeArguments(pieces.join('')),
    ...(providerData === undefined ? {} : { providerData }),
  });
}

function relate(call: OpenCall, fragment: CallFragment, text: string): 'same' | 'new' | 'repeat' {
  const otherName = fragment.name !== undefined && call.name !== '' && fragment.name !== call.name;
  const otherId = fragment.id !== undefined && call.id !== '' && fragment.id !== call.id;
  if (otherName) return 'new';
  const startsOver = /^\s*[{"]/.test(text);
  // Some servers make a new id for every delta: an id alone opens a call only where the one before can be over.
  if (otherId) return isComplete(call) || startsOver || (fragment.name !== undefined && text === '') ? 'new' : 'same';
  if (!startsOver || call.pieces.length === 0 || !isComplete(call)) return 'same';
  // The arguments are whole, and others begin: the same once more, or a second call without a sign of its own.
  return sameJson(call.pieces.join(''), text) ? 'repeat' : 'new';
}

/** How far a call's arguments were read to see whether their object is closed; each character is looked at once. */
interface Scan {
  piece: number;
  depth: number;
  inText: boolean;
  escaped: boolean;
  complete: boolean;
}

function isComplete({ pieces, scan }: OpenCall): boolean {
  for (; scan.piece < pieces.length; scan.piece += 1) scanPiece(scan, pieces[scan.piece] ?? '');
  return scan.complete;
}

function scanPiece(scan: Scan, piece: string): void {
  for (let at = 0; at < piece.length; at += 1) {
    const code = piece.charCodeAt(at);
    if (scan.escaped) scan.escaped = false;
    else if (scan.inText) {
      if (code === 0x5c) scan.escaped = true;
      else if (code === 0x22) scan.inText = false;
    } else if (code === 0x22) scan.inText = true;
    else if (code === 0x7b || code === 0x5b) scan.depth += 1;
    else if (code === 0x7d || code === 0x5d) scan.depth -= 1;
    // Outside of text at depth 0 a value has ended (or only space was seen).
    if (!scan.inText && scan.depth === 0 && code > 0x20) scan.complete = true;
    else if (scan.inText || scan.depth !== 0) scan.complete = false;
  }
}

function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  const [left, right] = [parseJson(a), parseJson(b)];
  return left !== undefined && right !== undefined && JSON.stringify(left) === JSON.stringify(right);
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Blank text is a call without arguments; JSON text inside a JSON string is taken out of it, once. */
function wholeArguments(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '{}';
  if (!trimmed.startsWith('"')) return text;
  const inner = parseJson(trimmed);
  if (typeof inner !== 'string') return text;
  if (inner.trim() === '') return '{}';
  return asFields(parseJson(inner)) === undefined ? text : inner;
}

function isBlank(fragment: CallFragment, text: string): boolean {
  return fragment.id === undefined && fragment.name === undefined && text.trim() === '';
}

function blankToNothing(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : value;
}
