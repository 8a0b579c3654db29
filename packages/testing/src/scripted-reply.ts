import type {
  AssistantMessage,
  FinishReason,
  JsonObject,
  ProviderEvent,
  ProviderRequest,
  ToolCall,
  Usage,
} from '@kernel/protocol';

/** A call in a scripted reply. An object as `arguments` becomes its JSON text; an absent `id` is made. */
export interface ScriptedCall {
  readonly name: string;
  readonly arguments?: string | JsonObject | undefined;
  readonly id?: string | undefined;
}

/** What a model says, in no vendor's terms: any wire could carry it. */
export interface NeutralReply {
  readonly text?: string | undefined;
  readonly reasoning?: string | undefined;
  readonly calls?: readonly ScriptedCall[] | undefined;
  /** Default: `tool-calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason | undefined;
  readonly usage?: Usage | undefined;
  /** How many pieces a streamed text, and each call's arguments, come in. Default: 3 on a wire, 1 without. */
  readonly pieces?: number | undefined;
}

/** A reply of the scripted provider. */
export interface ScriptedReply extends NeutralReply {
  /** The text in just these pieces. */
  readonly chunks?: readonly string[] | undefined;
  /** Milliseconds before the first event. */
  readonly delayMs?: number | undefined;
  /** Waits for the abort after the last delta, instead of ending. */
  readonly hang?: boolean | undefined;
}

let made = 0;

/** Gives out a reply as the events of a provider, watching the request's signal between all of them. */
export async function* toReplyEvents(reply: ScriptedReply, request: ProviderRequest): AsyncGenerator<ProviderEvent> {
  const { signal } = request;
  if (reply.delayMs !== undefined) await pause(reply.delayMs, signal);
  const message = toMessage(reply, request.model);
  for (const event of deltas(reply, message)) {
    signal?.throwIfAborted();
    yield event;
  }
  if (reply.hang === true) await pause(undefined, signal);
  signal?.throwIfAborted();
  const calls = message.content.filter((part) => part.type === 'tool-call');
  const finishReason = reply.finishReason ?? (calls.length > 0 ? 'tool-calls' : 'stop');
  const isCut = finishReason === 'length' || finishReason === 'filter' || finishReason === 'refusal';
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
  for (const text of reply.chunks ?? inPieces(reply.text ?? '', reply.pieces)) yield { type: 'text-delta', text };
  let index = 0;
  for (const part of message.content) {
    if (part.type !== 'tool-call') continue;
    for (const piece of inPieces(part.arguments, reply.pieces))
      yield { type: 'tool-call-delta', index, id: part.id, name: part.name, arguments: piece };
    index += 1;
  }
}

/** Cuts a text into about so many pieces, at whole characters; an empty text has none. */
function inPieces(text: string, pieces = 1): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / pieces));
  const cuts: string[] = [];
  for (let at = 0; at < characters.length; at += size) cuts.push(characters.slice(at, at + size).join(''));
  return cuts;
}

function toDropped(call: ToolCall, reason: FinishReason) {
  return { id: call.id, name: call.name, arguments: call.arguments, reason };
}

/** Waits `ms`, or for ever without; rejects with the signal's reason on abort and leaves no timer or listener. */
function pause(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    function done(): void {
      signal?.removeEventListener('abort', abort);
      resolve();
    }
    function abort(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
