import type { FinishReason } from '@kernel/protocol';
import type { ScriptedCall } from '../scripted-reply.ts';
import type { WireBytes } from './deliver.ts';
import type { Fields } from './fields.ts';
import type { WireReply } from './reply.ts';

/** The wires that the server speaks. */
export type WireName = 'openai' | 'azure' | 'openai-responses' | 'anthropic' | 'gemini' | 'ollama' | 'bedrock';

/** How one wire is spoken: which paths are its own, what it refuses, how it writes a reply and a refusal. */
export interface WireFormat {
  readonly name: WireName;
  matches(pathname: string): boolean;
  /** What a strict vendor would refuse; an empty list when nothing. */
  check(body: unknown, pathname: string): readonly string[];
  write(reply: WireReply, body: Fields, pathname: string): WireBytes;
  refuse(status: number, message: string): WireBytes;
}

/** A JSON response. */
export function json(body: object, status = 200): WireBytes {
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'wire-1' },
    chunks: [JSON.stringify(body)],
  };
}

/** A response of server-sent events, each chunk a write of its own. */
export function events(chunks: readonly string[]): WireBytes {
  return { status: 200, headers: { 'content-type': 'text/event-stream', 'x-request-id': 'wire-1' }, chunks };
}

/** The id of a call, made where the script gives none. */
export function idOf(call: ScriptedCall, index: number): string {
  return call.id ?? `call_wire_${index}`;
}

/** The arguments of a call as text. */
export function argumentsOf(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

/** The arguments of a call as JSON; text that is none stays text. */
export function inputOf(call: ScriptedCall): unknown {
  if (typeof call.arguments !== 'string') return call.arguments ?? {};
  try {
    return JSON.parse(call.arguments) as unknown;
  } catch {
    return call.arguments;
  }
}

/** The finish reason of a reply. */
export function finishOf(reply: WireReply): FinishReason {
  return reply.finishReason ?? ((reply.calls ?? []).length > 0 ? 'tool-calls' : 'stop');
}

/** Cuts a text into so many pieces by characters, so that no piece holds half of one; an empty text has none. */
export function cut(text: string, count = 3): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / count));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
}

/** The path without its query. */
export function pathnameOf(path: string): string {
  return path.split('?', 1)[0] ?? path;
}
