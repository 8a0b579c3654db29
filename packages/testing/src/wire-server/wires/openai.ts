import type { Usage } from '@kernel/protocol';
import type { WireBytes } from '../deliver.ts';
import { asFields, type Fields } from '../fields.ts';
import { checkBatchRequest, checkChatRequest } from './check-openai.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { argumentsOf, finishWordOf, type FinishWords, idOf, json, type WireFormat } from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  refusal: 'stop',
  other: 'other',
};

const BASE = { id: 'chatcmpl-wire', created: 1_700_000_000 };

const CHAT_PATH = /\/(?:chat\/completions|embeddings|audio\/transcriptions|models)$/;
const FILE_PATH = /\/(?:files|batches)$|\/(?:files|batches)\/[^/]+(?:\/(?:content|cancel))?$/;
/** Other vendors have batches too. */
const OTHERS = /\/(?:messages|v1beta|upload)\//;

/** Chat completions, embeddings, transcriptions, files, batches and the list of models. Azure's paths end in the same words. */
export const chatFormat: WireFormat = {
  name: 'openai',
  matches: (pathname) => CHAT_PATH.test(pathname) || (FILE_PATH.test(pathname) && !OTHERS.test(pathname)),
  check(body, pathname) {
    if (pathname.endsWith('/chat/completions')) return checkChatRequest(body);
    return pathname.endsWith('/batches') ? checkBatchRequest(body) : [];
  },
  write(reply, body, pathname) {
    if (pathname.endsWith('/embeddings')) return json(embeddings(body));
    if (pathname.endsWith('/audio/transcriptions')) return json({ text: reply.text ?? '' });
    if (pathname.endsWith('/models')) return json({ object: 'list', data: [{ id: 'wire-model', object: 'model' }] });
    return toChatBytes(reply, {
      model: typeof body['model'] === 'string' ? body['model'] : 'wire-model',
      stream: body['stream'] === true,
      usage: asFields(body['stream_options'])?.['include_usage'] === true,
    });
  },
  refuse: (status, message) => json({ error: { message, type: 'invalid_request_error', code: null } }, status),
};

/** Writes a reply as chat completions: a stream of chunks, or one object. */
function toChatBytes(reply: WireReply, request: { model: string; stream: boolean; usage: boolean }): WireBytes {
  const finish = finishWordOf(reply, FINISH);
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
    ...splitText(reply.reasoning ?? '', count).map((piece) => ({ reasoning_content: piece })),
    ...splitText(reply.text ?? '', count).map((piece) => ({ [text]: piece })),
    ...(reply.calls ?? []).flatMap((call, index) => [
      {
        tool_calls: [{ index, id: idOf(call, index), type: 'function', function: { name: call.name, arguments: '' } }],
      },
      ...splitText(argumentsOf(call), count).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
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

function embeddings(body: Fields): object {
  const inputs = [body['input']].flat();
  // In reverse order, because only the index counts.
  const data = inputs.map((text, index) => ({ object: 'embedding', index, embedding: [String(text).length, index] }));
  return {
    object: 'list',
    data: data.toReversed(),
    usage: { prompt_tokens: inputs.length, total_tokens: inputs.length },
  };
}
