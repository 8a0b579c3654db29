import type { JsonValue, MediaPart, Message, ProviderRequest, ProviderWarning, TextPart, Tool } from '@kernel/protocol';
import { textOf, toolCallsOf } from '@kernel/protocol';
import { callInput } from '../wire/call-input.ts';
import { checkRequest } from '../wire/check-request.ts';
import { asFields } from '../json-fields.ts';
import { type ModelOptions, readOptions } from '../config/model-options.ts';
import { dataOf, mediaNote, unsupportedPart, type WireSettings } from '../wire/media.ts';
import { onceEach, unknownRole } from '../wire/alternating-messages.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { createToolWriter } from '../wire/tool-encoder.ts';

const TAKEN = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);
const ANY_NAME = /[\s\S]/;

/** Creates the encoder of one provider: each frozen message is written once, the tools once per list. @internal */
export function createOllamaEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const textFor = onceEach((message) => JSON.stringify(toWire(message, settings.name)));
  const toolsOf = createToolWriter({
    names: ANY_NAME,
    dialect: 'ollama',
    write: ({ description }, { name, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  });
  const chosen = new WeakMap<readonly Tool[], readonly Tool[]>();

  return (request) => {
    checkRequest(request);
    const options = readOptions(settings.options, request.options, TAKEN);
    const warnings: ProviderWarning[] = [];
    const tools = toolsOf(offered(request, chosen, warnings));
    if (options.parallelToolCalls === false) {
      warnings.push({ message: 'parallelToolCalls: false is left out: this wire has none' });
    }
    const streams = request.stream !== false;
    const head = {
      ...options.rest,
      model: request.model,
      stream: streams,
      ...(options.reasoningEffort === undefined ? {} : { think: thinkOf(options.reasoningEffort) }),
      ...(request.responseFormat === undefined ? {} : { format: request.responseFormat.schema }),
      ...modelOptions(options),
    };
    const toolPart = tools === undefined ? '' : `,"tools":[${tools.texts.join(',')}]`;
    return {
      path: `${settings.root}/chat${settings.search}`,
      body: `${JSON.stringify(head).slice(0, -1)}${toolPart},"messages":[${request.messages.map(textFor).join(',')}]}`,
      accept: streams ? 'application/x-ndjson' : 'application/json',
      warnings: [...(tools?.warnings ?? []), ...warnings],
      codec: tools?.codec,
    };
  };
}

/** This wire knows no tool choice: `none` offers nothing, a name offers that tool alone, and neither it nor `required` is enforced. */
function offered(
  { toolChoice, tools }: ProviderRequest,
  chosen: WeakMap<readonly Tool[], readonly Tool[]>,
  warnings: ProviderWarning[],
): readonly Tool[] | undefined {
  if (tools === undefined || toolChoice === undefined || toolChoice === 'auto') return tools;
  if (toolChoice === 'none') return undefined;
  warnings.push({ message: 'a required tool call cannot be enforced on this wire' });
  if (toolChoice === 'required') return tools;
  const known = chosen.get(tools);
  if (known?.[0]?.name === toolChoice.name) return known;
  const only = tools.filter((tool) => tool.name === toolChoice.name);
  chosen.set(tools, only);
  return only;
}

function modelOptions(options: ModelOptions): { options?: object } {
  const own = options.rest['options'];
  const mapped = {
    ...asFields(own),
    num_predict: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop === undefined ? undefined : [options.stop].flat(),
    seed: options.seed,
  };
  return Object.values(mapped).some((value) => value !== undefined) ? { options: mapped } : {};
}

function thinkOf(effort: JsonValue): JsonValue {
  if (effort === 'none') return false;
  return effort === 'minimal' ? 'low' : effort;
}

function toWire(message: Message, vendor: string): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', ...contentOf(message.content, true) };
    case 'assistant': {
      const calls = toolCallsOf(message);
      const thinking = message.provider?.vendor === vendor ? thinkingOf(message) : '';
      return {
        role: 'assistant',
        content: textOf(message),
        ...(thinking === '' ? {} : { thinking }),
        ...(calls.length === 0
          ? {}
          : { tool_calls: calls.map((call) => ({ function: { name: call.name, arguments: callInput(call) } })) }),
      };
    }
    case 'tool': {
      const { content, images } = contentOf(message.content, false);
      const text = message.isError === true && !content.startsWith('Error:') ? `Error: ${content}` : content;
      return { role: 'tool', tool_name: message.name, content: text, ...(images === undefined ? {} : { images }) };
    }
    default:
      throw unknownRole(message);
  }
}

function contentOf(
  content: string | readonly (TextPart | MediaPart)[],
  strict: boolean,
): { content: string; images?: readonly string[] } {
  if (typeof content === 'string') return { content };
  const images: string[] = [];
  const texts = content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    if (part.type === 'image' && (strict || part.data !== undefined)) {
      images.push(dataOf(part, 'Ollama'));
      return [];
    }
    if (strict) throw unsupportedPart(`${part.type} parts`, 'Ollama', 'Send text and images alone.');
    return [mediaNote(part)];
  });
  return { content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
}

function thinkingOf(message: Extract<Message, { role: 'assistant' }>): string {
  return message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}
