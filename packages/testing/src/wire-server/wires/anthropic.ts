import type { Usage } from '@kernel/protocol';
import { checkAnthropicRequest, checkBatchRequest, checkCountRequest } from './check-anthropic.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import {
  argumentsOf,
  events,
  finishWordOf,
  type FinishWords,
  idOf,
  inputOf,
  json,
  type WireFormat,
} from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  refusal: 'refusal',
  paused: 'pause_turn',
  other: 'unknown',
};

export const anthropicFormat: WireFormat = {
  name: 'anthropic',
  matches: (pathname) => /\/messages(?:\/count_tokens|\/batches(?:\/[^/]+(?:\/(?:cancel|results))?)?)?$/.test(pathname),
  check(body, pathname) {
    if (pathname.endsWith('/cancel')) return [];
    if (pathname.endsWith('/batches')) return checkBatchRequest(body);
    return isCount(pathname) ? checkCountRequest(body) : checkAnthropicRequest(body);
  },
  write(reply, body, pathname) {
    if (isCount(pathname)) return json({ input_tokens: reply.usage?.inputTokens ?? 1 });
    const head = { id: 'msg_wire', type: 'message', role: 'assistant', model: body['model'] };
    const stop = { stop_reason: finishWordOf(reply, FINISH), stop_sequence: null };
    const usage = toUsage(reply.usage);
    if (body['stream'] !== true) return json({ ...head, content: blocks(reply), ...stop, usage });
    const start = { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
    return events([
      event('message_start', { message: start }),
      event('ping', {}),
      ...pieces(reply),
      event('message_delta', { delta: stop, usage: { output_tokens: usage.output_tokens } }),
      event('message_stop', {}),
    ]);
  },
  refuse: (status, message) => json({ type: 'error', error: { type: 'invalid_request_error', message } }, status),
};

function isCount(pathname: string): boolean {
  return pathname.endsWith('/count_tokens');
}

function event(type: string, rest: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

function blocks(reply: WireReply): readonly object[] {
  return [
    ...(reply.reasoning === undefined ? [] : [{ type: 'thinking', thinking: reply.reasoning, signature: 'sig-wire' }]),
    ...(reply.text === undefined || reply.text === '' ? [] : [{ type: 'text', text: reply.text }]),
    ...(reply.calls ?? []).map((call, at) => ({
      type: 'tool_use',
      id: idOf(call, at),
      name: call.name,
      input: inputOf(call),
    })),
  ];
}

function pieces(reply: WireReply): readonly string[] {
  const list: { start: object; deltas: readonly object[] }[] = [];
  if (reply.reasoning !== undefined) {
    const thoughts = splitText(reply.reasoning, reply.pieces).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: 'sig-wire' };
    list.push({ start: { type: 'thinking', thinking: '', signature: '' }, deltas: [...thoughts, signature] });
  }
  const text = splitText(reply.text ?? '', reply.pieces).map((piece) => ({ type: 'text_delta', text: piece }));
  if (text.length > 0) list.push({ start: { type: 'text', text: '' }, deltas: text });
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const deltas = ['', ...splitText(argumentsOf(call), reply.pieces)];
    list.push({
      start: { type: 'tool_use', id: idOf(call, at), name: call.name, input: {} },
      deltas: deltas.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    });
  }
  return list.flatMap(({ deltas, start }, index) => [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]);
}

function toUsage(usage: Usage | undefined) {
  const { cacheWriteTokens: written, cachedInputTokens: read, inputTokens = 1, outputTokens = 1 } = usage ?? {};
  return {
    input_tokens: inputTokens - (read ?? 0) - (written ?? 0),
    output_tokens: outputTokens,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  };
}
