import type { Usage } from '@kernel/protocol';
import {
  asFields,
  asList,
  checkModel,
  checkPromptCache,
  checkServerTool,
  checkTool,
  type Fields,
  isServerTool,
  onlyFields,
  PLAIN_NAME,
  problemsOf,
} from '../check-fields.ts';
import type { WireReply } from '../reply.ts';
import { splitText } from '../../split-text.ts';
import { argumentsOf, events, finishOf, idOf, json, type WireFormat } from '../wire-format.ts';

const BODY = [
  'model input instructions tools tool_choice parallel_tool_calls stream store include background',
  'max_output_tokens temperature top_p reasoning text metadata truncation user prompt_cache_key prompt_cache_retention prompt_cache_options',
]
  .join(' ')
  .split(' ');

const COUNTED = [
  'conversation input instructions model parallel_tool_calls previous_response_id reasoning text tool_choice tools',
  'truncation',
]
  .join(' ')
  .split(' ');

export const responsesFormat: WireFormat = {
  name: 'openai-responses',
  // Its files and batches are those of chat completions.
  matches: (pathname) => /\/responses(?:\/[^/]+(?:\/cancel)?)?$/.test(pathname),
  check: (body, pathname) =>
    pathname.endsWith('/cancel')
      ? []
      : problemsOf(body, pathname.endsWith('/input_tokens') ? COUNTED : BODY, checkRequest),
  write(reply, body, pathname) {
    if (pathname.endsWith('/input_tokens'))
      return json({ object: 'response.input_tokens', input_tokens: reply.usage?.inputTokens ?? 1 });
    const response = responseOf(reply, body['model']);
    if (body['stream'] !== true) return json(response);
    let number = 0;
    const event = (type: string, rest: object): string => {
      number += 1;
      return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...rest })}\n\n`;
    };
    const output = itemsOf(reply);
    return events([
      event('response.created', { response: { ...response, status: 'in_progress', output: [] } }),
      ...output.flatMap(({ deltas, item, part, start }, at) => {
        const place = { output_index: at, item_id: item.id };
        const inPart = part === undefined ? place : { ...place, [part.index]: 0 };
        return [
          event('response.output_item.added', { output_index: at, item: { ...item, ...start } }),
          ...(part === undefined ? [] : [event(`response.${part.name}.added`, { ...inPart, part: part.empty })]),
          ...deltas.map(([type, delta]) => event(type, { ...inPart, delta })),
          ...(part === undefined ? [] : [event(`response.${part.name}.done`, { ...inPart, part: part.whole })]),
          event('response.output_item.done', { output_index: at, item }),
        ];
      }),
      event(response.status === 'completed' ? 'response.completed' : 'response.incomplete', { response }),
    ]);
  },
  refuse: (status, message) => json({ error: { message, type: 'invalid_request_error', code: null } }, status),
};

function responseOf(reply: WireReply, model: unknown) {
  const finish = finishOf(reply);
  const isCut = finish === 'length' || finish === 'content-filter' || finish === 'other';
  const reason = finish === 'length' ? 'max_output_tokens' : finish === 'content-filter' ? 'content_filter' : 'unknown';
  return {
    id: 'resp_wire',
    object: 'response',
    status: isCut ? 'incomplete' : 'completed',
    model,
    output: itemsOf(reply).map(({ item }) => item),
    incomplete_details: isCut ? { reason } : undefined,
    usage: reply.usage && toUsage(reply.usage),
  };
}

interface Item {
  readonly item: { readonly id: string } & object;
  readonly start: object;
  /** The part that its deltas belong to: the name of its events, and of the field with its position. */
  readonly part?: { readonly name: string; readonly index: string; readonly empty: object; readonly whole: object };
  readonly deltas: readonly (readonly [string, string])[];
}

function itemsOf(reply: WireReply): readonly Item[] {
  const items: Item[] = [];
  if (reply.reasoning !== undefined) {
    items.push({
      item: {
        id: 'rs_wire',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: reply.reasoning }],
        encrypted_content: 'enc-wire',
      } as { id: string },
      start: { summary: [] },
      part: {
        name: 'reasoning_summary_part',
        index: 'summary_index',
        empty: { type: 'summary_text', text: '' },
        whole: { type: 'summary_text', text: reply.reasoning },
      },
      deltas: splitText(reply.reasoning, reply.pieces).map((piece) => ['response.reasoning_summary_text.delta', piece]),
    });
  }
  if (reply.text !== undefined) {
    const refused = reply.finishReason === 'refusal';
    const part = refused
      ? { type: 'refusal', refusal: reply.text }
      : { type: 'output_text', text: reply.text, annotations: [] };
    items.push({
      item: { id: 'msg_wire', type: 'message', role: 'assistant', status: 'completed', content: [part] } as {
        id: string;
      },
      start: { status: 'in_progress', content: [] },
      part: {
        name: 'content_part',
        index: 'content_index',
        empty: refused ? { type: 'refusal', refusal: '' } : { type: 'output_text', text: '', annotations: [] },
        whole: part,
      },
      deltas: splitText(reply.text, reply.pieces).map((piece) => [
        refused ? 'response.refusal.delta' : 'response.output_text.delta',
        piece,
      ]),
    });
  }
  for (const [at, call] of (reply.calls ?? []).entries()) {
    const text = argumentsOf(call);
    items.push({
      item: {
        id: `fc_wire_${at}`,
        type: 'function_call',
        call_id: idOf(call, at),
        name: call.name,
        arguments: text,
      } as { id: string },
      start: { arguments: '' },
      deltas: splitText(text, reply.pieces).map((piece) => ['response.function_call_arguments.delta', piece]),
    });
  }
  return items;
}

function toUsage({ cachedInputTokens, inputTokens, outputTokens, reasoningTokens }: Usage): object {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: cachedInputTokens === undefined ? undefined : { cached_tokens: cachedInputTokens },
    output_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  };
}

function checkRequest(fields: Fields, problems: string[]): void {
  checkPromptCache(fields, problems);
  checkModel(fields, problems);
  const names = new Set<string>();
  for (const tool of asList(fields['tools'])) {
    const given = asFields(tool) ?? {};
    if (isServerTool(given, 'function')) {
      checkServerTool(given, names, problems);
      continue;
    }
    onlyFields(tool, ['type', 'name', 'description', 'parameters', 'strict', 'defer_loading'], 'tool', problems);
    checkTool(given['name'], given['parameters'], PLAIN_NAME, names, problems);
  }
  const choice = asFields(fields['tool_choice']);
  if (fields['tool_choice'] !== undefined && names.size === 0) problems.push('tool_choice without tools');
  if (choice !== undefined && !names.has(String(choice['name'] ?? choice['type'])))
    problems.push('tool_choice names a tool that the request does not offer');
  checkInput(asList(fields['input']), problems);
}

/** Calls of tools that run here, and what answers them. */
const NATIVE_CALL = /^(?:(?:custom_tool|apply_patch|shell|local_shell)_call|mcp_approval_request)$/;
const NATIVE_OUTPUT = /^(?:(?:custom_tool|apply_patch|shell|local_shell)_call_output|mcp_approval_response)$/;

function checkInput(input: readonly unknown[], problems: string[]): void {
  if (input.length === 0) problems.push('input is missing, empty or not a list');
  const open = new Set<unknown>();
  for (const [at, entry] of input.entries()) {
    const item = asFields(entry) ?? {};
    const type = item['type'];
    const next = asFields(input[at + 1]);
    if (type === 'function_call') {
      onlyFields(item, ['type', 'id', 'call_id', 'name', 'arguments'], `input[${at}]`, problems);
      if (typeof item['call_id'] !== 'string' || item['call_id'].length > 64)
        problems.push(`input[${at}] has an illegal call_id`);
      if (typeof item['arguments'] !== 'string') problems.push(`input[${at}] has arguments that are not text`);
      open.add(item['call_id']);
    } else if (type === 'function_call_output') {
      if (!open.delete(item['call_id']))
        problems.push(`input[${at}] does not answer an open call: ${String(item['call_id'])}`);
      if (item['output'] === undefined) problems.push(`input[${at}] has no output`);
    } else if (typeof type === 'string' && NATIVE_CALL.test(type)) {
      open.add(item['call_id'] ?? item['id']);
    } else if (typeof type === 'string' && NATIVE_OUTPUT.test(type)) {
      const id = item['call_id'] ?? item['approval_request_id'];
      // What the vendor ran in its own container has its output beside it.
      if (!open.delete(id)) problems.push(`input[${at}] does not answer an open call: ${String(id)}`);
    } else if (typeof type === 'string' && type.endsWith('_call')) {
      if (typeof item['id'] !== 'string') problems.push(`input[${at}] is a server tool without an id`);
    } else if (type === 'reasoning') {
      const isKnown = next?.['role'] === 'assistant' || /(_call|_request|reasoning)$/.test(String(next?.['type']));
      if (!isKnown) problems.push(`input[${at}] is reasoning without the item that followed it`);
    } else if (!['system', 'developer', 'user', 'assistant'].includes(String(item['role']))) {
      problems.push(`input[${at}] has the unknown role "${String(item['role'])}"`);
    }
  }
  for (const id of open) problems.push(`the call ${String(id)} was not answered`);
}
