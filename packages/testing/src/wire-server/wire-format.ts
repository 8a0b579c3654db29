import type { FinishReason } from '@kernel/protocol';
import type { ScriptedCall } from '../fakes/scripted-reply.ts';
import type { WireBytes } from './deliver.ts';
import type { Fields } from './check-fields.ts';
import type { WireReply } from './reply.ts';

/** The wires that the server speaks. */
export type WireName = 'openai' | 'azure' | 'openai-responses' | 'anthropic' | 'gemini' | 'ollama' | 'bedrock';

/** How the server speaks one wire. */
export interface WireFormat {
  readonly name: WireName;
  matches(pathname: string): boolean;
  /** Returns what a strict vendor would refuse; empty if nothing. */
  check(body: unknown, pathname: string): readonly string[];
  /** Writes a scripted reply to a request. */
  write(reply: WireReply, body: Fields, pathname: string): WireBytes;
  refuse(status: number, message: string): WireBytes;
}

export function json(body: object, status = 200): WireBytes {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'wire-1' },
    chunks: [JSON.stringify(body)],
  };
}

/** Creates a response of server-sent events, each chunk in its own write. */
export function events(chunks: readonly string[]): WireBytes {
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'x-request-id': 'wire-1' }, chunks };
}

/** The id of a call; generated if the script has none. */
export function idOf(call: ScriptedCall, index: number): string {
  return call.id ?? `call_wire_${index}`;
}

export function argumentsOf(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

/** The arguments of a call as JSON; text that is not valid JSON stays text. */
export function inputOf(call: ScriptedCall): unknown {
  if (typeof call.arguments !== 'string') return call.arguments ?? {};
  try {
    return JSON.parse(call.arguments) as unknown;
  } catch {
    return call.arguments;
  }
}

export function finishOf(reply: WireReply): FinishReason {
  return reply.finishReason ?? ((reply.calls ?? []).length > 0 ? 'tool-calls' : 'stop');
}

/** A vendor's words for finish reasons; `other` is also for those that the vendor does not have. */
export type FinishWords = Readonly<Partial<Record<FinishReason, string>>> & { readonly other: string };

export function finishWordOf(reply: WireReply, words: FinishWords): string {
  return words[finishOf(reply)] ?? words.other;
}

/** The path without its query. */
export function pathnameOf(path: string): string {
  return path.split('?', 1)[0] ?? path;
}
