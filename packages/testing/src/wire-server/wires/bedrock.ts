import { crc32 } from 'node:zlib';
import type { Usage } from '@kernel/protocol';
import {
  asFields,
  asList,
  blocksOf,
  checkServerTool,
  checkTool,
  checkTurns,
  type Fields,
  onlyFields,
  PLAIN_NAME,
  problemsOf,
} from '../check-fields.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { argumentsOf, finishWordOf, type FinishWords, idOf, inputOf, json, type WireFormat } from '../wire-format.ts';

const FINISH: FinishWords = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'content_filtered',
  refusal: 'guardrail_intervened',
  other: 'malformed_model_output',
};
const BODY = ['messages', 'system', 'inferenceConfig', 'toolConfig', 'additionalModelRequestFields', 'guardrailConfig'];

export const bedrockFormat: WireFormat = {
  name: 'bedrock',
  matches: (pathname) => /\/model\/[^/]+\/(?:converse(?:-stream)?|count-tokens)$/.test(pathname),
  check: (body, pathname) => (pathname.endsWith('/count-tokens') ? checkCount(body) : checkRequest(body)),
  write(reply, _, pathname) {
    if (pathname.endsWith('/count-tokens')) return json({ inputTokens: reply.usage?.inputTokens ?? 1 });
    const stopReason = finishWordOf(reply, FINISH);
    const usage = toUsage(reply.usage);
    if (pathname.endsWith('/converse')) {
      const output = { message: { role: 'assistant', content: blocks(reply) } };
      return json({ output, stopReason, usage, metrics: { latencyMs: 1 } });
    }
    const chunks = [
      toEventStreamFrame('messageStart', { role: 'assistant' }),
      ...pieces(reply),
      toEventStreamFrame('messageStop', { stopReason }),
      toEventStreamFrame('metadata', { usage, metrics: { latencyMs: 1 } }),
    ];
    return { status: 200, headers: { 'content-type': 'application/vnd.amazon.eventstream' }, chunks };
  },
  refuse: (status, message) => json({ message }, status),
};

/** Encodes one frame of a binary event stream (`application/vnd.amazon.eventstream`), with its checksums. */
export function toEventStreamFrame(type: string, payload: object, kind: 'event' | 'exception' = 'event'): Uint8Array {
  const headers = Buffer.concat(
    Object.entries({
      [`:${kind}-type`]: type,
      ':content-type': 'application/json',
      ':message-type': kind,
    }).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const frame = Buffer.concat([prelude, headers, body]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(frame));
  return Buffer.concat([frame, check]);
}

function blocks(reply: WireReply): readonly object[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ reasoningContent: { reasoningText: { text: reply.reasoning, signature: 'sig-wire' } } }]),
    ...(reply.text === undefined || reply.text === '' ? [] : [{ text: reply.text }]),
    ...(reply.calls ?? []).map((call, at) => ({
      toolUse: { toolUseId: idOf(call, at), name: call.name, input: inputOf(call) },
    })),
  ];
}

function pieces(reply: WireReply): readonly Uint8Array[] {
  const list: { start?: object; deltas: readonly object[] }[] = [];
  if (reply.reasoning !== undefined) {
    const thoughts = splitText(reply.reasoning, reply.pieces).map((text) => ({ reasoningContent: { text } }));
    list.push({ deltas: [...thoughts, { reasoningContent: { signature: 'sig-wire' } }] });
  }
  const text = splitText(reply.text ?? '', reply.pieces).map((piece) => ({ text: piece }));
  if (text.length > 0) list.push({ deltas: text });
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const start = { toolUse: { toolUseId: idOf(call, at), name: call.name } };
    list.push({ start, deltas: splitText(argumentsOf(call), reply.pieces).map((input) => ({ toolUse: { input } })) });
  }
  return list.flatMap(({ deltas, start }, contentBlockIndex) => [
    ...(start === undefined ? [] : [toEventStreamFrame('contentBlockStart', { contentBlockIndex, start })]),
    ...deltas.map((delta) => toEventStreamFrame('contentBlockDelta', { contentBlockIndex, delta })),
    toEventStreamFrame('contentBlockStop', { contentBlockIndex }),
  ]);
}

function toUsage(usage: Usage | undefined): object {
  const { cachedInputTokens: read, cacheWriteTokens: written, inputTokens = 1, outputTokens = 1 } = usage ?? {};
  return {
    inputTokens: inputTokens - (read ?? 0) - (written ?? 0),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadInputTokens: read,
    cacheWriteInputTokens: written,
  };
}

function checkRequest(body: unknown): readonly string[] {
  return problemsOf(body, BODY, checkFields);
}

function checkFields(fields: Fields, problems: string[]): void {
  for (const point of JSON.stringify(fields).split('"cachePoint":').slice(1))
    if (!/^\{"type":"default"(?:,"ttl":"(?:5m|1h)")?\}/.test(point)) problems.push('a cache point is malformed');
  const names = new Set<string>();
  const config = asFields(fields['toolConfig']);
  for (const entry of asList(config?.['tools'])) {
    const systemTool = asFields(asFields(entry)?.['systemTool']);
    if (systemTool !== undefined) checkServerTool(systemTool, names, problems);
    const spec = asFields(asFields(entry)?.['toolSpec']);
    if (spec === undefined) continue;
    if (typeof spec['description'] !== 'string' || spec['description'] === '')
      problems.push('a tool has an empty description');
    checkTool(spec['name'], asFields(spec['inputSchema'])?.['json'], PLAIN_NAME, names, problems);
  }
  if (config !== undefined && names.size === 0) problems.push('toolConfig without tools');
  const messages = asList(fields['messages']);
  if (messages.length === 0) problems.push('messages is missing, empty or not a list');
  for (const [at, entry] of messages.entries()) {
    const list = blocksOf(asFields(entry)?.['content']);
    if (list.length === 0) problems.push(`messages[${at}] is empty`);
    for (const block of list) checkBlock(block, at, names.size > 0, problems);
  }
  checkTurns(messages, readTurn, problems);
}

function checkCount(body: unknown): readonly string[] {
  const problems: string[] = [];
  const input = asFields(body)?.['input'];
  onlyFields(body, ['input'], 'the body', problems);
  onlyFields(input, ['converse'], 'input', problems);
  const request = asFields(input)?.['converse'];
  onlyFields(request, ['messages', 'system', 'toolConfig', 'additionalModelRequestFields'], 'converse', problems);
  return [...problems, ...checkRequest(request)];
}

function checkBlock(block: Fields, at: number, hasTools: boolean, problems: string[]): void {
  if (typeof block['text'] === 'string' && block['text'].trim() === '')
    problems.push(`messages[${at}] has an empty text block`);
  const call = asFields(block['toolUse']);
  const result = asFields(block['toolResult']);
  if ((call ?? result) !== undefined && !hasTools)
    problems.push(`messages[${at}] has calls or results, but the request has no toolConfig`);
  if (call !== undefined && !PLAIN_NAME.test(String(call['toolUseId'])))
    problems.push(`messages[${at}] has an illegal toolUseId`);
  if (call !== undefined && !PLAIN_NAME.test(String(call['name'])))
    problems.push(`messages[${at}] has the illegal name "${String(call['name'])}"`);
  if (call !== undefined && asFields(call['input']) === undefined)
    problems.push(`messages[${at}] has a call whose input is not an object`);
  if (result !== undefined && asList(result['content']).length === 0)
    problems.push(`messages[${at}] has a result without content`);
}

function readTurn(message: Fields) {
  const list = blocksOf(message['content']);
  const ids = (key: string): readonly unknown[] =>
    list.flatMap((block) => {
      const fields = asFields(block[key]);
      // A server tool has a type, and its result beside it.
      return fields === undefined || fields['type'] !== undefined ? [] : [fields['toolUseId']];
    });
  return { role: String(message['role']), calls: ids('toolUse'), results: ids('toolResult'), resultsFirst: true };
}
