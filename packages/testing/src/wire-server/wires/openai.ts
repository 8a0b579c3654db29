import type { Usage } from '@kernel/protocol';
import type { WireBytes } from '../deliver.ts';
import { asFields, type Fields } from '../check-fields.ts';
import { checkBatchRequest, checkChatRequest } from './check-openai.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { argumentsOf, events, finishWordOf, type FinishWords, idOf, json, type WireFormat } from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
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
  const { model } = request;
  const finish = finishWordOf(reply, FINISH);
  const usage = reply.usage && toUsage(reply.usage);
  if (!request.stream) {
    const choices = [{ index: 0, message: wholeMessage(reply), finish_reason: finish }];
    return json({ ...BASE, object: 'chat.completion', model, choices, usage });
  }
  const event = (rest: object): string =>
    `data: ${JSON.stringify({ ...BASE, object: 'chat.completion.chunk', model, ...rest })}\n\n`;
  const choice = (delta: object, reason: string | null = null): string =>
    event({ choices: [{ index: 0, delta, finish_reason: reason }] });
  return events([
    choice({ role: 'assistant', content: '' }),
    ...deltas(reply).map((delta) => choice(delta)),
    choice({}, finish),
    ...(usage === undefined || !request.usage ? [] : [event({ choices: [], usage })]),
    'data: [DONE]\n\n',
  ]);
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
  const calls = (reply.calls ?? []).map((call, index) => ({
    id: idOf(call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentsOf(call) },
  }));
  const refused = reply.finishReason === 'refusal';
  return {
    role: 'assistant',
    content: refused ? null : (reply.text ?? null),
    refusal: refused ? (reply.text ?? '') : undefined,
    reasoning_content: reply.reasoning,
    tool_calls: calls.length === 0 ? undefined : calls,
  };
}

function toUsage({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Usage): object {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: cachedInputTokens === undefined ? undefined : { cached_tokens: cachedInputTokens },
    completion_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
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
