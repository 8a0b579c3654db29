import { toJsonText } from '@kernel/internal';
import {
  type MediaPart,
  type Message,
  type ProviderRequest,
  type ProviderWarning,
  type TextPart,
  type Tool,
  toolCallsOf,
  type JsonValue,
} from '@kernel/protocol';
import { textForVendor } from '../wire/server-tools/parts-for-vendor.ts';
import { argumentsObject } from '../wire/arguments.ts';
import { checkRequest, unknownRoleError } from '../wire/check-request.ts';
import { asFields, definedFields } from '../json-fields.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { dataOf, markError, textOrNote, unsupportedPart } from '../wire/media.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { resolveCache } from '../wire/prompt-cache.ts';
import { notesOf, type Effort, effortFor, type Families, modelName, type Notes, rulesIn } from '../wire/model-rules.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';

const RESERVED_KEYS = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);
const ANY_NAME = /[\s\S]/;

export function createOllamaEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const encodeMessage = cachePerMessage((message) => toJsonText(toOllamaMessage(message, settings.name)));
  const encodeTools = createToolEncoder({
    names: ANY_NAME,
    dialect: 'ollama',
    vendor: settings.name,
    encode: ({ description }, { name, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    }),
  });
  const singleTool = new WeakMap<readonly Tool[], readonly Tool[]>();

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const warnings: ProviderWarning[] = [];
    resolveCache(request, [], warnings);
    const tools = encodeTools(toolsToOffer(request, singleTool, warnings), request.model);
    if (options.parallelToolCalls === false) {
      warnings.push({ message: 'parallelToolCalls: false is left out: this API does not have it' });
    }
    const think = thinkValue(options.reasoningEffort, request.model, notesOf(request.model, warnings));
    const streams = request.stream !== false;
    const head = {
      ...options.extra,
      model: request.model,
      stream: streams,
      ...(think === undefined ? {} : { think }),
      ...(request.responseFormat === undefined ? {} : { format: request.responseFormat.schema }),
      ...samplingFields(options),
    };
    const toolPart = tools === undefined ? '' : `,"tools":[${tools.texts.join(',')}]`;
    return {
      path: `${settings.basePath}/chat${settings.query}`,
      body: `${toJsonText(head).slice(0, -1)}${toolPart},"messages":[${request.messages.map(encodeMessage).join(',')}]}`,
      accept: streams ? 'application/x-ndjson' : 'application/json',
      warnings: [...(tools?.warnings ?? []), ...warnings],
      toolDecoder: tools?.toolDecoder,
    };
  };
}

/** This API has no tool choice: neither a name, which offers only that tool, nor `required` is enforced. */
function toolsToOffer(
  { toolChoice, tools }: ProviderRequest,
  singleTool: WeakMap<readonly Tool[], readonly Tool[]>,
  warnings: ProviderWarning[],
): readonly Tool[] | undefined {
  if (tools === undefined || toolChoice === undefined || toolChoice === 'auto') return tools;
  if (toolChoice === 'none') return undefined;
  warnings.push({ message: 'this API cannot enforce a required tool call' });
  if (toolChoice === 'required') return tools;
  const cached = singleTool.get(tools);
  if (cached?.[0]?.name === toolChoice.name) return cached;
  const only = tools.filter((tool) => tool.name === toolChoice.name);
  singleTool.set(tools, only);
  return only;
}

function samplingFields(options: ResolvedOptions): { options?: object } {
  const fields = {
    ...asFields(options.extra['options']),
    ...definedFields({
      num_predict: options.maxTokens,
      temperature: options.temperature,
      top_p: options.topP,
      stop: options.stop === undefined ? undefined : [options.stop].flat(),
      seed: options.seed,
    }),
  };
  return Object.keys(fields).length === 0 ? {} : { options: fields };
}

function toOllamaMessage(message: Message, vendor: string): object {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', ...contentOf(message.content, true) };
    case 'assistant': {
      const calls = toolCallsOf(message);
      const thinking = message.provider?.vendor === vendor ? reasoningOf(message) : '';
      return {
        role: 'assistant',
        content: textForVendor(message, vendor),
        ...(thinking === '' ? {} : { thinking }),
        ...(calls.length > 0 && {
          tool_calls: calls.map((call) => ({ function: { name: call.name, arguments: argumentsObject(call) } })),
        }),
      };
    }
    case 'tool': {
      const { content, images } = contentOf(message.content, false);
      const text = markError(content, message.isError === true);
      return { role: 'tool', tool_name: message.name, content: text, ...(images === undefined ? {} : { images }) };
    }
    default:
      throw unknownRoleError(message);
  }
}

function contentOf(
  content: string | readonly (TextPart | MediaPart)[],
  isUser: boolean,
): { content: string; images?: readonly string[] } {
  if (typeof content === 'string') return { content };
  const images: string[] = [];
  const texts = content.flatMap((part) => {
    if (part.type === 'text') return [part.text];
    if (part.type === 'image' && (isUser || part.data !== undefined)) {
      images.push(dataOf(part, 'Ollama'));
      return [];
    }
    if (isUser) throw unsupportedPart(`${part.type} parts`, 'Ollama', 'Send only text and images.');
    return [textOrNote(part)];
  });
  return { content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
}

function reasoningOf(message: Extract<Message, { role: 'assistant' }>): string {
  return message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
}

export interface OllamaRules {
  /** Lowest first. Empty: it cannot think, and a request that asks for it is refused. */
  readonly efforts: readonly Effort[];
  /** Every effort but `none` means on. */
  readonly isSwitch: boolean;
}

const LEVELS: readonly Effort[] = ['low', 'medium', 'high'];
const NEWEST: OllamaRules = { efforts: ['none', ...LEVELS], isSwitch: false };
const ON_OFF: OllamaRules = { ...NEWEST, isSwitch: true };
const NEVER: OllamaRules = { efforts: [], isSwitch: false };

/** As of November 2026. Sources: Ollama's guide "Thinking" and the capabilities that its library lists for each model. */
const FAMILIES: Families<OllamaRules> = [
  [/^gpt-oss/, { efforts: LEVELS, isSwitch: false }],
  [/^qwen3-coder(?!-next)|^qwen3[^:]*:.*instruct|^deepseek-(?:v2|v3(?!\.)|llm|coder)/, NEVER],
  [/^(?:qwen3|deepseek-(?:r1|v3\.)|magistral|glm-4|kimi-k2-thinking|nemotron|smollm3|cogito|exaone-deep|qwq)/, ON_OFF],
  [
    /^(?:llama|codellama|mistral|mixtral|ministral|devstral|codestral|gemma(?:2|3)?(?:n?:|n?$)|codegemma|qwen(?:2|:|$)|phi[34]?(?:-mini)?(?::|$)|command-r|tinyllama|starcoder|falcon|yi|vicuna|smollm2?(?::|$)|granite3\.[01]|firefunction|hermes3)/,
    NEVER,
  ],
];

export function ollamaRules(model: string): OllamaRules {
  return rulesIn(FAMILIES, modelName(model)) ?? NEWEST;
}

export function thinkValue(asked: JsonValue | undefined, model: string, notes: Notes): JsonValue | undefined {
  const { efforts, isSwitch } = ollamaRules(model);
  if (!isSwitch) {
    const effort = effortFor(asked, efforts, notes);
    return effort === 'none' ? false : effort;
  }
  if (asked === undefined || asked === 'none') return asked === undefined ? undefined : false;
  notes.sentAs(`reasoningEffort ${JSON.stringify(asked)}`, 'true', `"${model}" thinks or not, without levels`);
  return true;
}
