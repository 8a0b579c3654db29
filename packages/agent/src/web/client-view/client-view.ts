import {
  type AgentEvent,
  type Citation,
  type JsonValue,
  type MessageEnd,
  type PendingCall,
  type RunEnd,
  type ServerToolResult,
  type Source,
  toolCallsOf,
} from '@kernel/protocol';
import type {
  ClientCallDelta,
  ClientEvent,
  ClientPendingCall,
  ClientRunEnd,
  ClientServerToolResult,
} from './client-event-types.ts';
import { createReplyText } from '../../reply-text.ts';
import { type Shown, toClientCall, toClientError, toClientCallResult } from './client-values.ts';
import { createDecidedCalls } from './decided-calls.ts';

/** Returns what a client may see of an event. For the events of one run, in order. */
export type ClientView = (event: AgentEvent) => readonly ClientEvent[];

const NOTHING: readonly ClientEvent[] = [];

/** Creates the view of one run. Every value is built from a list of fields, so that a new field of an event stays on the server. */
export function createClientView(shown: Shown): ClientView {
  const inner = new Map<string, ClientView>();
  const decidedCallEnd = createDecidedCalls(shown);
  const replyText = createReplyText();

  function viewSubAgent(path: readonly string[], event: AgentEvent): readonly ClientEvent[] {
    const seen = shown.has('sub-agents') ? viewInner(path, event) : NOTHING;
    const end = decidedCallEnd(path, event);
    return end === undefined ? seen : [...seen, end];
  }

  function viewInner(path: readonly string[], event: AgentEvent): readonly ClientEvent[] {
    const key = JSON.stringify(path);
    const view = inner.get(key) ?? createClientView(shown);
    inner.set(key, view);
    if (event.type === 'run-end') inner.delete(key);
    return view(event).map((seen) => ({ type: 'sub-agent-event', path, event: seen }));
  }

  return (event) => {
    const text = replyText.add(event);
    switch (event.type) {
      case 'turn-start':
        return [{ type: 'turn-start', turn: event.turn }];
      case 'turn-end':
        return [{ type: 'turn-end', turn: event.turn }];
      case 'text-delta':
        return [{ type: 'text-delta', text }];
      case 'audio-delta':
        return [{ type: 'audio-delta', data: event.data, mimeType: event.mimeType }];
      case 'reasoning-delta':
        return shown.has('reasoning') ? [{ type: 'reasoning-delta', text: event.text }] : NOTHING;
      case 'citation':
        return shown.has('citations') ? [{ type: 'citation', citation: toClientCitation(event.citation) }] : NOTHING;
      case 'server-tool-call': {
        const { id, name, arguments: input } = event;
        return [
          { type: 'server-tool-call', callId: id, name, ...(shown.has('arguments') ? { arguments: input } : {}) },
        ];
      }
      case 'server-tool-result':
        return [toServerToolResult(event, shown)];
      case 'tool-call-delta':
        return shown.has('arguments') ? [toCallDelta(event)] : NOTHING;
      case 'reply-withdrawn':
        return [{ type: 'reply-withdrawn', code: event.code }];
      case 'message-end':
        return [...toDelta(text), toMessageEnd(event, shown)];
      case 'output-delta':
        return [{ type: 'output-delta', output: event.output }];
      case 'output-rejected':
        return [{ type: 'output-rejected' }];
      case 'tool-start':
        return [{ type: 'tool-start', ...toClientCall(event.call, shown) }];
      case 'tool-progress':
        return shown.has('progress')
          ? [{ type: 'tool-progress', callId: event.callId, update: event.update }]
          : NOTHING;
      case 'tool-end': {
        const { call, result, durationMs } = event;
        return [{ type: 'tool-end', name: call.name, durationMs, ...toClientCallResult(call.id, result, shown) }];
      }
      case 'tool-complete':
        return [{ type: 'tool-complete', ...toClientCallResult(event.callId, event.result, shown) }];
      case 'approval-request':
        return [{ type: 'approval-request', ...toClientCall(event.call, shown) }];
      case 'sub-agent-event':
        return viewSubAgent(event.path, event.event);
      case 'run-end':
        return [...toDelta(text), toClientEnd(event, shown)];
      case 'steer':
        return NOTHING;
    }
  };
}

function toClientCitation({ url, title, document, quote, span }: Citation): Citation {
  return {
    ...toClientSource({ url, title, document }),
    ...(quote === undefined ? {} : { quote }),
    ...(span === undefined ? {} : { span: { start: span.start, end: span.end } }),
  };
}

function toClientSource({ url, title, document }: { [K in keyof Source]: Source[K] | undefined }): Source {
  return {
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(document === undefined ? {} : { document }),
  };
}

function toServerToolResult(
  { callId, name, isError, text, sources }: ServerToolResult,
  shown: Shown,
): ClientServerToolResult {
  return {
    type: 'server-tool-result',
    callId,
    name,
    ...(isError === true ? { isError } : {}),
    ...(shown.has('results') ? { text } : {}),
    ...(shown.has('results') && sources !== undefined ? { sources: sources.map((each) => toClientSource(each)) } : {}),
  };
}

/** The text of a reply that came whole, or of a hook's answer, as one delta, so that deltas have all text. */
function toDelta(text: string): readonly ClientEvent[] {
  return text === '' ? NOTHING : [{ type: 'text-delta', text }];
}

function toCallDelta({ index, id, name, arguments: text }: AgentEvent & { type: 'tool-call-delta' }): ClientCallDelta {
  return {
    type: 'tool-call-delta',
    index,
    ...(id === undefined ? {} : { callId: id }),
    ...(name === undefined ? {} : { name }),
    arguments: text,
  };
}

function toMessageEnd({ finishReason, message }: MessageEnd, shown: Shown): ClientEvent {
  return { type: 'message-end', finishReason, calls: toolCallsOf(message).map((call) => toClientCall(call, shown)) };
}

function toClientEnd(end: RunEnd, shown: Shown): ClientRunEnd {
  const { reason } = end;
  return {
    type: 'run-end',
    reason,
    ...(reason === 'limit' ? { limit: end.limit } : {}),
    ...('answer' in end && end.answer !== undefined ? { answer: end.answer } : {}),
    ...('output' in end && end.answer !== undefined ? typedAnswer(end.answer) : {}),
    ...(reason === 'approval' ? { pending: end.pending.map((call) => toPending(call, shown)) } : {}),
    ...(reason === 'error' ? { error: toClientError(end.error.code, end.error.message, shown) } : {}),
    ...(shown.has('usage') ? { usage: end.usage } : {}),
  };
}

/**
 * The typed answer as the model gave it. What a schema makes of that may be anything, such as a Map or a row of a database, and stays on the server. It
 * is absent where a wrapper has put another text in its place.
 */
function typedAnswer(answer: string): { readonly output?: JsonValue } {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON.parse returns nothing else
    return { output: JSON.parse(answer) as JsonValue };
  } catch {
    return {};
  }
}

function toPending(call: PendingCall, shown: Shown): ClientPendingCall {
  return { ...toClientCall(call, shown), path: call.path, digest: call.digest };
}
