import { type DroppedCall, type FinishReason, KernelError, type JsonValue } from '@kernel/protocol';
import type { ToolCall, ToolCallDelta } from '@kernel/protocol';
import { type ArgumentScan, createScan, isComplete } from './argument-scan.ts';
import { compactJson } from '../json-fields.ts';
import { uniqueCallIds } from './names.ts';

/** Every field may be missing, repeated or wrong. */
export interface CallFragment {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** Text, or an object where a vendor sends the whole input at once. */
  readonly arguments?: unknown;
  /** The last one wins. */
  readonly providerData?: JsonValue | undefined;
}

/** What tells whether a name is whole. */
export interface NameDecoder {
  toolName(wireName: string): string;
  /** Whether a tool's name begins with `text`, and no tool has the name `instead`. */
  begins(text: string, instead: string): boolean;
}

interface OpenCall {
  /** The order of appearance: the `index` of the call's deltas. */
  readonly ordinal: number;
  readonly vendorIndex: number | undefined;
  id: string;
  name: string;
  readonly argumentPieces: string[];
  /** False for an object before its first closing bracket: then nothing has to be scanned. */
  mayBeComplete: boolean;
  readonly scan: ArgumentScan;
  /** The arguments without white space, and the number of pieces that were joined for them. */
  compact?: { readonly pieces: number; readonly text: string };
  providerData: JsonValue | undefined;
}

// Fragments belong together by index, then by id, then by position. A fragment that names another call, or begins a second argument object, opens a new
// call; one that repeats the whole arguments adds nothing. Argument text stays as the vendor sent it, except that blank text becomes `{}`. An id that
// is empty or taken within the reply is replaced by a generated one.
/** The only place that joins argument text. */
export function createCallAssembler(decoder: NameDecoder = { toolName: (name) => name, begins: () => false }) {
  const calls: OpenCall[] = [];
  const abandoned: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const byId = new Map<string, OpenCall>();
  const byPosition = new Map<number, OpenCall>();

  /** The last call, as long as its arguments may go on. */
  function unfinished(): OpenCall | undefined {
    const last = calls.at(-1);
    return last === undefined || isComplete(last) ? undefined : last;
  }

  function find(fragment: CallFragment, position: number, count: number): OpenCall | undefined {
    const { id, index } = fragment;
    if (index !== undefined) {
      const identified = id === undefined ? undefined : byId.get(id);
      const indexed = byIndex.get(index);
      if (identified !== undefined) {
        const { vendorIndex } = identified;
        if (vendorIndex === index || (vendorIndex === undefined && indexed === undefined)) return identified;
      }
      // Some gateways count on with each piece: arguments that no call of this index begins belong to the last one.
      return indexed ?? (id === undefined && fragment.name === undefined ? unfinished() : undefined);
    }
    if (id !== undefined) return byId.get(id);
    return count === 1 ? calls.at(-1) : byPosition.get(position);
  }

  /** The whole name, if a fragment continues one that arrives in pieces, as nothing but tools on offer can tell. */
  function joinedName({ argumentPieces, name, id }: OpenCall, fragment: CallFragment): string | undefined {
    if (fragment.name === undefined || name === '' || fragment.name === name || argumentPieces.length > 0)
      return undefined;
    if (fragment.id !== undefined && id !== '' && fragment.id !== id) return undefined;
    return [name + fragment.name, fragment.name].find((whole) => whole.startsWith(name) && decoder.begins(whole, name));
  }

  function open(fragment: CallFragment, position: number): OpenCall {
    const call: OpenCall = {
      ordinal: abandoned.length + calls.length,
      vendorIndex: fragment.index,
      id: fragment.id ?? '',
      name: '',
      argumentPieces: [],
      mayBeComplete: false,
      scan: createScan(),
      providerData: undefined,
    };
    calls.push(call);
    return register(call, fragment, position);
  }

  function register(call: OpenCall, fragment: CallFragment, position: number): OpenCall {
    if (fragment.index !== undefined) byIndex.set(fragment.index, call);
    if (fragment.id !== undefined) byId.set(fragment.id, call);
    byPosition.set(position, call);
    return call;
  }

  function finishByIndex(): ReadonlyMap<number, ToolCall> {
    // An id without a name and without arguments announced nothing.
    const announced = calls.filter(({ name, argumentPieces }) => name !== '' || argumentPieces.length > 0);
    const ids = uniqueCallIds(announced);
    return new Map(announced.map((call, at) => [call.ordinal, toToolCall(call, ids[at] ?? call.id, announced.length)]));
  }

  return {
    /** The number of calls, including those that were given up. */
    size: () => abandoned.length + calls.length,
    /** A later fragment never joins the calls so far, and only `drop` returns them. */
    restart() {
      abandoned.push(...calls.splice(0));
      for (const index of [byIndex, byId, byPosition]) index.clear();
    },
    /** The `position`-th of the `count` fragments of its chunk. */
    add(raw: CallFragment, position: number = 0, count: number = 1): ToolCallDelta | undefined {
      const { index, providerData } = raw;
      const fragment = { index, id: emptyToUndefined(raw.id), name: emptyToUndefined(raw.name), providerData };
      const text = argumentText(raw.arguments);
      const match = find(fragment, position, count);
      const joined = match === undefined ? undefined : joinedName(match, fragment);
      if (match !== undefined && joined !== undefined) match.name = '';
      if (joined !== undefined) fragment.name = decoder.toolName(joined);
      const relation = match === undefined ? 'new' : relate(match, fragment, text);
      if (relation === 'repeat') return undefined;
      if (relation === 'new' && isBlank(fragment, text)) return undefined;
      const call =
        match === undefined || relation === 'new' ? open(fragment, position) : register(match, fragment, position);
      const isNamed = call.name === '' && fragment.name !== undefined;
      const isIdentified = fragment.id !== undefined && (relation === 'new' || call.id === '');
      if (fragment.name !== undefined) call.name = fragment.name;
      if (fragment.id !== undefined && call.id === '') call.id = fragment.id;
      append(call, text);
      if (fragment.providerData !== undefined) call.providerData = fragment.providerData;
      if (!isIdentified && !isNamed) return { type: 'tool-call-delta', index: call.ordinal, arguments: text };
      return {
        type: 'tool-call-delta',
        index: call.ordinal,
        ...(isIdentified ? { id: call.id } : {}),
        ...(isNamed ? { name: call.name } : {}),
        arguments: text,
      };
    },
    /** Adds to the arguments of the call with a vendor's index; undefined if there is none, or the text may begin another call. */
    more(index: number, text: string, position: number): ToolCallDelta | undefined {
      const call = byIndex.get(index);
      if (call === undefined || mayBeginAnother(call, text)) return undefined;
      byPosition.set(position, call);
      append(call, text);
      return { type: 'tool-call-delta', index: call.ordinal, arguments: text };
    },
    /** Throws `PROVIDER_PROTOCOL` for a call that never got a name. */
    finish: () => [...finishByIndex().values()],
    finishByIndex,
    /** Returns the calls that were given up, and with `reason` all others too. Never throws. */
    drop: (reason: FinishReason | undefined) => [
      ...toDropped(abandoned, 'other'),
      ...(reason === undefined ? [] : toDropped(calls, reason)),
    ],
  };
}

export type CallAssembler = ReturnType<typeof createCallAssembler>;

function toDropped(calls: readonly OpenCall[], reason: FinishReason): readonly DroppedCall[] {
  const ids = uniqueCallIds(calls);
  return calls.map((call, at) => ({
    id: ids[at] ?? call.id,
    name: call.name,
    arguments: call.argumentPieces.join(''),
    reason,
  }));
}

function toToolCall({ name, ordinal, argumentPieces, providerData }: OpenCall, id: string, total: number): ToolCall {
  if (name === '') {
    throw new KernelError(
      'PROVIDER_PROTOCOL',
      `The reply has a tool call without a name (call ${ordinal + 1} of ${total}).`,
    );
  }
  const text = argumentPieces.join('');
  // Some models write `null` for a tool without parameters.
  const isNone = ['', 'null'].includes(text.trim());
  return Object.freeze({
    type: 'tool-call' as const,
    id,
    name,
    arguments: isNone ? '{}' : text,
    ...(providerData === undefined ? {} : { providerData }),
  });
}

const STARTS_OVER = /^\s*[{"]/;

function relate(call: OpenCall, fragment: CallFragment, text: string): 'same' | 'new' | 'repeat' {
  const hasOtherName = fragment.name !== undefined && call.name !== '' && fragment.name !== call.name;
  const hasOtherId = fragment.id !== undefined && call.id !== '' && fragment.id !== call.id;
  if (hasOtherName) return 'new';
  const startsOver = STARTS_OVER.test(text);
  // Some servers generate a new id for every delta: an id alone opens a call only where the previous one may be complete.
  if (hasOtherId)
    return isComplete(call) || startsOver || (fragment.name !== undefined && text === '') ? 'new' : 'same';
  if (!mayBeginAnother(call, text)) return 'same';
  // The arguments are complete, and others begin: a repetition, or a second call without any mark of its own.
  const { compact, argumentPieces } = call;
  if (compact?.pieces !== argumentPieces.length)
    call.compact = { pieces: argumentPieces.length, text: compactJson(argumentPieces.join('')) };
  return call.compact?.text === compactJson(text) ? 'repeat' : 'new';
}

/** Whether the arguments are complete, and others begin. */
function mayBeginAnother(call: OpenCall, text: string): boolean {
  return call.mayBeComplete && STARTS_OVER.test(text) && isComplete(call);
}

function append(call: OpenCall, text: string): void {
  if (text === '') return;
  const isFirst = call.argumentPieces.length === 0;
  call.mayBeComplete ||= text.includes('}') || text.includes(']') || (isFirst && !text.startsWith('{'));
  call.argumentPieces.push(text);
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

function isBlank(fragment: CallFragment, text: string): boolean {
  return fragment.id === undefined && fragment.name === undefined && text.trim() === '';
}

function emptyToUndefined(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}
