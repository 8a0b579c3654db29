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

/** What fills a place that was reserved in a message. @internal */
export type FillingPart = OpaquePart | ServerToolCall | ServerToolResult | MediaPart;

/** A text, or reasoning, while it arrives. @internal */
export interface OpenPart {
  /** What it becomes. */
  readonly type: 'text' | 'reasoning';
  /** What has arrived, in whole characters. */
  readonly pieces: string[];
  /** The first half of a surrogate pair, of which the other half has not arrived. */
  half: string;
  /** The length of all pieces. */
  length: number;
  /** The citations of a text, and as they were received. */
  citations?: { readonly read: Citation[]; readonly received: JsonValue[] };
  /** What goes back to the vendor with a reasoning. */
  providerData: JsonValue | undefined;
}

/** Counts the calls that the vendor ran itself, if the vendor reports no counts. @internal */
export function withServerToolCalls(usage: Usage, content: AssistantMessage['content']): Usage {
  const counts = new Map<string, number>();
  for (const part of content)
    if (part.type === 'server-tool-call') counts.set(part.name, (counts.get(part.name) ?? 0) + 1);
  if (counts.size === 0 || usage.serverToolCalls !== undefined) return usage;
  return { ...usage, serverToolCalls: Object.fromEntries(counts) };
}

/** Adds to a part; returns the text that is whole now. A vendor may cut its text within a character, and half of one must reach neither consumers nor history. @internal */
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

/** The parts that a text or reasoning becomes: none without text. @internal */
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

/** Creates an opaque part of what was received. @internal */
export function opaquePart(kind: string, data: unknown): OpaquePart {
  return Object.freeze({ type: 'opaque', kind, providerData: toJson(data) });
}

/** Redacts the text of a result, which may quote the address of a hosted server with its key. What goes back to the vendor stays as it is. @internal */
export function redactResult(part: FillingPart, redactor: Redactor): FillingPart {
  if (part.type !== 'server-tool-result') return part;
  const text = redactor.text(part.text);
  return text === part.text ? part : Object.freeze({ ...part, text });
}
