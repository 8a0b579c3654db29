import { sliceHead } from '@kernel/internal';
import {
  type AgentEvent,
  type Message,
  textOf,
  toModelText,
  toolCallsOf,
  type ToolResult,
  type Usage,
} from '@kernel/protocol';
import type { CommandSetting } from '../questions/show-call.ts';

/** An event of a session: what happened, where, and when. */
export interface SessionEvent {
  /** When, in milliseconds since 1970, with fractions. */
  readonly atMs: number;
  /** The names of the agents and the ids of their calls, from the outermost; empty for the session's own run. */
  readonly path: readonly string[];
  /** What happened. */
  readonly data: EventData;
}

/** What happened. Text is cut at `MAX_TEXT` characters; `length` is that of the whole. */
export type EventData =
  | {
      readonly type: 'run-start';
      readonly provider: string;
      readonly model: string;
      readonly prompts: readonly string[];
      /** How its commands run, if it has a tool for them. */
      readonly commands?: CommandSetting;
    }
  | { readonly type: 'turn-start'; readonly turn: number; readonly tools: number }
  | {
      readonly type: 'message-end';
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly EventCall[];
      readonly finishReason: string;
      readonly usage?: Usage;
      readonly warnings?: readonly string[];
      readonly dropped?: readonly string[];
    }
  | { readonly type: 'tool-start'; readonly call: EventCall }
  | ({ readonly type: 'tool-end'; readonly callId: string; readonly durationMs: number } & EventResult)
  | ({ readonly type: 'tool-complete'; readonly callId: string } & EventResult)
  | { readonly type: 'approval-request'; readonly callId: string; readonly name: string }
  | { readonly type: 'server-tool'; readonly name: string; readonly isError: boolean }
  | { readonly type: 'reply-withdrawn'; readonly message: string }
  | { readonly type: 'output-rejected'; readonly issues: readonly string[] }
  | { readonly type: 'steer'; readonly prompts: readonly string[] }
  | {
      readonly type: 'run-end';
      readonly reason: string;
      readonly limit?: string;
      readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
      readonly turns: number;
      readonly usage: Usage;
    };

/** A call. */
export interface EventCall {
  /** Its id. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The argument text. */
  readonly arguments: string;
  /** The length of the whole argument text, if it was cut. */
  readonly length?: number;
}

/** The result of a call. */
export interface EventResult {
  /** What the model reads. */
  readonly text: string;
  /** The length of the whole, if it was cut. */
  readonly length?: number;
  /** What the user sees, such as a diff. */
  readonly forUser?: string;
  /** Whether it failed. */
  readonly isError?: true;
  /** The kind of failure. */
  readonly code?: string;
  /** How the call ended, if not as `done`. */
  readonly outcome?: string;
  /** How many images and files it has. */
  readonly media?: number;
}

/** How much of a text is kept in an event. The message in the log of the session is whole. */
export const MAX_TEXT = 100_000;

/** The time now, in milliseconds since 1970, with fractions. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Returns what is kept of an event; undefined for pieces of text and progress, which the events after them contain. */
export function toSessionEvent(event: AgentEvent, atMs: number): SessionEvent | undefined {
  const [path, inner] = event.type === 'sub-agent-event' ? [event.path, event.event] : [[], event];
  const data = toData(inner);
  return data === undefined ? undefined : { atMs, path, data };
}

/** The texts of messages, without what they carry beside text. */
export function promptTexts(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => cut(textOf(message)));
}

function toData(event: AgentEvent): EventData | undefined {
  switch (event.type) {
    case 'turn-start':
      return { type: 'turn-start', turn: event.turn, tools: event.tools.length };
    case 'message-end': {
      const { message, finishReason, usage, warnings, droppedCalls } = event;
      const reasoning = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('\n');
      return {
        type: 'message-end',
        text: cut(textOf(message)),
        ...(reasoning === '' ? {} : { reasoning: cut(reasoning) }),
        calls: toolCallsOf(message).map(toCall),
        finishReason,
        ...(usage === undefined ? {} : { usage }),
        ...(warnings === undefined ? {} : { warnings: warnings.map((warning) => cut(warning.message)) }),
        ...(droppedCalls === undefined ? {} : { dropped: droppedCalls.map(({ name }) => cut(name)) }),
      };
    }
    case 'tool-start':
      return { type: 'tool-start', call: toCall(event.call) };
    case 'tool-end':
      return { type: 'tool-end', callId: event.call.id, durationMs: event.durationMs, ...toResult(event.result) };
    case 'tool-complete':
      return { type: 'tool-complete', callId: event.callId, ...toResult(event.result) };
    case 'approval-request':
      return { type: 'approval-request', callId: event.call.id, name: event.call.name };
    case 'server-tool-result':
      return { type: 'server-tool', name: event.name, isError: event.isError === true };
    case 'reply-withdrawn':
      return { type: 'reply-withdrawn', message: cut(event.message) };
    case 'output-rejected':
      return { type: 'output-rejected', issues: event.issues };
    case 'steer':
      return { type: 'steer', prompts: promptTexts(event.messages) };
    case 'run-end': {
      const { reason, turns, usage } = event;
      const { code, message, hint } = reason === 'error' ? event.error : {};
      return {
        type: 'run-end',
        reason,
        ...(reason === 'limit' ? { limit: event.limit } : {}),
        ...(code === undefined || message === undefined
          ? {}
          : { error: { code, message, ...(hint === undefined ? {} : { hint }) } }),
        turns,
        usage,
      };
    }
    default:
      return undefined;
  }
}

function toCall({
  id,
  name,
  arguments: text,
}: {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}): EventCall {
  return { id, name, arguments: cut(text), ...lengthOf(text) };
}

function toResult(result: ToolResult): EventResult {
  const { forUser, isError, code, outcome, media, silent } = result;
  const text = toModelText(result);
  return {
    text: cut(text),
    ...lengthOf(text),
    ...(forUser === undefined || silent === true || forUser === text ? {} : { forUser: cut(forUser) }),
    ...(isError === true ? { isError } : {}),
    ...(code === undefined ? {} : { code }),
    ...(outcome === undefined || outcome === 'done' ? {} : { outcome }),
    ...(media === undefined || media.length === 0 ? {} : { media: media.length }),
  };
}

function lengthOf(text: string): { length?: number } {
  return text.length > MAX_TEXT ? { length: text.length } : {};
}

function cut(text: string): string {
  return sliceHead(text, MAX_TEXT);
}
