import {
  type AssistantMessage,
  dropsCalls,
  type FinishReason,
  type JsonObject,
  type ProviderEvent,
  type ProviderRequest,
  type ToolCall,
  type Usage,
} from '@kernel/protocol';
import { delay, untilAborted } from '@kernel/internal';
import { splitText } from '../split-text.ts';

/** A call in a scripted reply. */
export interface ScriptedCall {
  /** The name of the tool. */
  readonly name: string;
  /** JSON text, or an object that becomes JSON text. Default `{}`. */
  readonly arguments?: string | JsonObject | undefined;
  /** The id of the call. Default: a generated one. */
  readonly id?: string | undefined;
}

/** What a model says, in no vendor's terms: any wire can carry it. */
export interface NeutralReply {
  /** The text of the reply. */
  readonly text?: string | undefined;
  /** The visible reasoning before it. */
  readonly reasoning?: string | undefined;
  /** The calls that it asks for. */
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** Default: `tool-calls` with calls, otherwise `stop`. */
  readonly finishReason?: FinishReason | undefined;
  /** The tokens to report. */
  readonly usage?: Usage | undefined;
  /**
   * How many pieces a streamed text, and the arguments of each call, are sent in. Default: 3 by a wire server, 1 by a scripted provider.
   */
  readonly pieces?: number | undefined;
}

/** A reply of the scripted provider. */
export interface ScriptedReply extends NeutralReply {
  /** The text in exactly these pieces. */
  readonly chunks?: readonly string[] | undefined;
  /** How long to wait before the first event, in milliseconds. */
  readonly delayMs?: number | undefined;
  /** Waits for the abort after the last delta, instead of ending. */
  readonly hang?: boolean | undefined;
}

let made = 0;

/** Yields a reply as the events of a provider and checks the request's signal between them. */
export async function* toReplyEvents(reply: ScriptedReply, request: ProviderRequest): AsyncGenerator<ProviderEvent> {
  const { signal } = request;
  if (reply.delayMs !== undefined) await delay(reply.delayMs, signal);
  const message = toMessage(reply, request.model);
  for (const event of deltas(reply, message)) {
    signal?.throwIfAborted();
    yield event;
  }
  if (reply.hang === true) await untilAborted(new Promise(() => {}), signal);
  signal?.throwIfAborted();
  const calls = message.content.filter((part) => part.type === 'tool-call');
  const finishReason = reply.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  const isCut = dropsCalls(finishReason);
  yield {
    type: 'message-end',
    message: isCut ? { ...message, content: message.content.filter((part) => part.type !== 'tool-call') } : message,
    finishReason,
    ...(reply.usage === undefined ? {} : { usage: reply.usage }),
    ...(isCut && calls.length > 0 ? { droppedCalls: calls.map((call) => toDropped(call, finishReason)) } : {}),
  };
}

function toMessage(reply: ScriptedReply, model: string): AssistantMessage {
  const text = reply.text ?? reply.chunks?.join('') ?? '';
  return {
    role: 'assistant',
    content: [
      ...(reply.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reply.reasoning }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...(reply.calls ?? []).map(toCall),
    ],
    provider: { vendor: 'scripted', model },
  };
}

function toCall(call: ScriptedCall): ToolCall {
  const { arguments: given = {} } = call;
  return {
    type: 'tool-call',
    id: call.id ?? `scripted_${(made += 1)}`,
    name: call.name,
    arguments: typeof given === 'string' ? given : JSON.stringify(given),
  };
}

function* deltas(reply: ScriptedReply, message: AssistantMessage): Generator<ProviderEvent> {
  if (reply.reasoning !== undefined) yield { type: 'reasoning-delta', text: reply.reasoning };
  for (const text of reply.chunks ?? splitText(reply.text ?? '', reply.pieces ?? 1)) yield { type: 'text-delta', text };
  let index = 0;
  for (const part of message.content) {
    if (part.type !== 'tool-call') continue;
    for (const piece of splitText(part.arguments, reply.pieces ?? 1))
      yield { type: 'tool-call-delta', index, id: part.id, name: part.name, arguments: piece };
    index += 1;
  }
}

function toDropped(call: ToolCall, reason: FinishReason) {
  return { id: call.id, name: call.name, arguments: call.arguments, reason };
}
