import type { Redactor } from '@kernel/internal';
import type {
  AssistantMessage,
  Citation,
  JsonValue,
  MediaPart,
  OpaquePart,
  ReasoningPart,
  ServerToolCall,
  ServerToolResult,
  TextPart,
  Usage,
} from '@kernel/protocol';
import { toJson } from '../json-fields.ts';

export type FillingPart = OpaquePart | ServerToolCall | ServerToolResult | MediaPart;

export interface OpenPart {
  readonly type: 'text' | 'reasoning';
  /** No piece ends within a character. */
  readonly pieces: string[];
  /** The first half of a surrogate pair, of which the other half has not arrived. */
  half: string;
  length: number;
  citations?: { readonly read: Citation[]; readonly received: JsonValue[] };
  providerData: JsonValue | undefined;
}

/** Counts the calls itself if the vendor does not report them. */
export function withServerToolCalls(usage: Usage, content: AssistantMessage['content']): Usage {
  const counts = new Map<string, number>();
  for (const part of content)
    if (part.type === 'server-tool-call') counts.set(part.name, (counts.get(part.name) ?? 0) + 1);
  if (counts.size === 0 || usage.serverToolCalls !== undefined) return usage;
  return { ...usage, serverToolCalls: Object.fromEntries(counts) };
}

/** A vendor may cut its text within a character, and half of one must reach neither consumers nor history. */
export function addWhole(part: OpenPart, delta: string, isEnd = false): string {
  const text = part.half + delta;
  const last = text.charCodeAt(text.length - 1);
  const endsInHalf = !isEnd && last >= 0xd800 && last <= 0xdbff;
  part.half = endsInHalf ? text.slice(-1) : '';
  const whole = (endsInHalf ? text.slice(0, -1) : text).toWellFormed();
  if (whole !== '') part.pieces.push(whole);
  part.length += whole.length;
  return whole;
}

export function toParts({ citations, pieces, providerData, type }: OpenPart): readonly (TextPart | ReasoningPart)[] {
  const text = pieces.join('');
  if (type === 'reasoning')
    return [Object.freeze({ type, text, ...(providerData === undefined ? {} : { providerData }) })];
  if (text === '') return [];
  if (citations === undefined) return [Object.freeze({ type, text })];
  const { read, received } = citations;
  const data = received.length === 0 ? {} : { providerData: { citations: received } };
  return [Object.freeze({ type, text, citations: Object.freeze(read), ...data })];
}

export function opaquePart(kind: string, data: unknown): OpaquePart {
  return Object.freeze({ type: 'opaque', kind, providerData: toJson(data) });
}

/** The text may quote the address of a hosted server with its key. What goes back to the vendor stays as it is. */
export function redactResult(part: FillingPart, redactor: Redactor): FillingPart {
  if (part.type !== 'server-tool-result') return part;
  const text = redactor.text(part.text);
  return text === part.text ? part : Object.freeze({ ...part, text });
}
