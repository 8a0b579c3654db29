import type { FinishReason, Usage } from '@kernel/protocol';
import type { WireBytes } from './deliver.ts';
import type { ScriptedCall } from '../scripted-reply.ts';
import type { WireReply } from './reply.ts';

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  refusal: 'stop',
  other: 'other',
};

const BASE = { id: 'chatcmpl-wire', created: 1_700_000_000 };

/** Writes a reply as chat completions: a stream of chunks, or one object. */
export function toChatBytes(reply: WireReply, request: { model: string; stream: boolean; usage: boolean }): WireBytes {
  const finish = FINISH[reply.finishReason ?? ((reply.calls ?? []).length > 0 ? 'tool-calls' : 'stop')];
  if (!request.stream) {
    const message = wholeMessage(reply);
    const body = {
      ...BASE,
      object: 'chat.completion',
      model: request.model,
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(reply.usage === undefined ? {} : { usage: toUsage(reply.usage) }),
    };
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'x-request-id': 'wire-1' },
      chunks: [JSON.stringify(body)],
    };
  }
  const head = { ...BASE, object: 'chat.completion.chunk', model: request.model };
  const event = (delta: object, reason: string | null = null): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const usage = reply.usage;
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-request-id': 'wire-1' },
    chunks: [
      event({ role: 'assistant', content: '' }),
      ...deltas(reply).map((delta) => event(delta)),
      event({}, finish),
      ...(usage === undefined || !request.usage
        ? []
        : [`data: ${JSON.stringify({ ...head, choices: [], usage: toUsage(usage) })}\n\n`]),
      'data: [DONE]\n\n',
    ],
  };
}

function deltas(reply: WireReply): readonly object[] {
  const count = reply.pieces ?? 3;
  const text = reply.finishReason === 'refusal' ? 'refusal' : 'content';
  return [
    ...cut(reply.reasoning ?? '', count).map((piece) => ({ reasoning_content: piece })),
    ...cut(reply.text ?? '', count).map((piece) => ({ [text]: piece })),
    ...(reply.calls ?? []).flatMap((call, index) => [
      {
        tool_calls: [{ index, id: idOf(call, index), type: 'function', function: { name: call.name, arguments: '' } }],
      },
      ...cut(argumentsOf(call), count).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ];
}

function wholeMessage(reply: WireReply): object {
  const calls = reply.calls ?? [];
  const refused = reply.finishReason === 'refusal';
  return {
    role: 'assistant',
    content: refused ? null : (reply.text ?? null),
    ...(refused ? { refusal: reply.text ?? '' } : {}),
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call, index) => ({
            id: idOf(call, index),
            type: 'function',
            function: { name: call.name, arguments: argumentsOf(call) },
          })),
        }),
  };
}

function idOf(call: ScriptedCall, index: number): string {
  return call.id ?? `call_wire_${index}`;
}

function argumentsOf(call: ScriptedCall): string {
  return typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
}

/** Cuts by characters, so that no piece holds half of one. */
function cut(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / count));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) =>
    characters.slice(at * size, (at + 1) * size).join(''),
  );
}

function toUsage(usage: Usage): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    ...(usage.cachedInputTokens === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: usage.cachedInputTokens } }),
    ...(usage.reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
  };
}
