import { sliceHead } from '@kernel/internal';
import {
  type AgentEvent,
  type Message,
  textOf,
  toModelText,
  type ToolCall,
  toolCallsOf,
  type ToolResult,
} from '@kernel/protocol';
import type { CommandSetting } from '../questions/show-call.ts';

export interface SessionEvent {
  /** When, in milliseconds since 1970, with fractions. */
  readonly atMs: number;
  /** The names of the agents and the ids of their calls, from the outermost; empty for the session's own run. */
  readonly path: readonly string[];
  readonly data: EventData;
}

/** What happened, as it is kept. Text is cut at `MAX_TEXT` characters; `length` is that of the whole. */
export type EventData = ReturnType<typeof runStart> | NonNullable<ReturnType<typeof toData>>;
export type EventCall = ReturnType<typeof toCall>;

/** How much of a text is kept in an event. The message in the log of the session is whole. */
export const MAX_TEXT = 100_000;

export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Returns what is kept of an event; undefined for pieces of text and progress, which the events after them contain. */
export function toSessionEvent(event: AgentEvent, atMs: number): SessionEvent | undefined {
  const [path, inner] = event.type === 'sub-agent-event' ? [event.path, event.event] : [[], event];
  const data = toData(inner);
  return data === undefined ? undefined : { atMs, path, data };
}

export function promptTexts(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => cut(textOf(message)));
}

/** What is kept of the start of a run: what was asked, and how its commands run if it has a tool for them. */
export function runStart(provider: string, model: string, messages: readonly Message[], commands?: CommandSetting) {
  return { type: 'run-start' as const, provider, model, prompts: promptTexts(messages), commands };
}

function toData(event: AgentEvent) {
  const { type } = event;
  switch (type) {
    case 'turn-start':
      return { type, turn: event.turn, tools: event.tools.length };
    case 'message-end': {
      const { message, finishReason, usage, warnings, droppedCalls } = event;
      const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n');
      return {
        type,
        text: cut(textOf(message)),
        reasoning: reasoning === '' ? undefined : cut(reasoning),
        calls: toolCallsOf(message).map(toCall),
        finishReason,
        usage,
        warnings: warnings?.map((warning) => cut(warning.message)),
        dropped: droppedCalls?.map(({ name }) => cut(name)),
      };
    }
    case 'tool-start':
      return { type, call: toCall(event.call) };
    case 'tool-end':
      return { type, callId: event.call.id, durationMs: event.durationMs, ...toResult(event.result) };
    case 'tool-complete':
      return { type, callId: event.callId, ...toResult(event.result) };
    case 'approval-request':
      return { type, callId: event.call.id, name: event.call.name };
    case 'server-tool-result':
      return { type: 'server-tool' as const, name: event.name, isError: event.isError === true };
    case 'reply-withdrawn':
      return { type, message: cut(event.message) };
    case 'output-rejected':
      return { type, issues: event.issues };
    case 'steer':
      return { type, prompts: promptTexts(event.messages) };
    case 'run-end': {
      const { reason, turns, usage } = event;
      const { code, message, hint } = reason === 'error' ? event.error : {};
      return {
        type,
        reason,
        limit: reason === 'limit' ? event.limit : undefined,
        error: code === undefined || message === undefined ? undefined : { code, message, hint },
        turns,
        usage,
      };
    }
    default:
      return undefined;
  }
}

function toCall({ id, name, arguments: text }: Pick<ToolCall, 'id' | 'name' | 'arguments'>) {
  return { id, name, arguments: cut(text), length: longLength(text) };
}

function toResult(result: ToolResult) {
  const { forUser, isError, code, outcome, media, silent } = result;
  const text = toModelText(result);
  return {
    text: cut(text),
    length: longLength(text),
    forUser: forUser === undefined || silent === true || forUser === text ? undefined : cut(forUser),
    isError: isError === true ? isError : undefined,
    code,
    outcome: outcome === 'done' ? undefined : outcome,
    media: media === undefined || media.length === 0 ? undefined : media.length,
  };
}

function longLength(text: string): number | undefined {
  return text.length > MAX_TEXT ? text.length : undefined;
}

function cut(text: string): string {
  return sliceHead(text, MAX_TEXT);
}
