import type { Message, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { strictGap } from '../dialects/strict.ts';
import { asFields } from '../json-fields.ts';
import { type ModelOptions, readOptions } from '../config/model-options.ts';
import type { WireSettings } from '../wire/media.ts';
import { onceEach } from '../wire/alternating-messages.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { PLAIN_NAMES, toWireName } from '../wire/names.ts';
import { createToolWriter } from '../wire/tool-encoder.ts';
import { toItems } from './items.ts';

const TAKEN = new Set(
  'model messages input tools tool_choice toolChoice stream signal previous_response_id'.split(' '),
);
/** Models that reason; others refuse to be asked for their encrypted reasoning. */
const REASONING_MODELS = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!.*chat)|codex)/;

/** Creates the encoder of one provider: each frozen message is written once, the tools once per list. @internal */
export function createResponsesEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string | undefined, (message: Message) => readonly string[]>();
  const toolsOf = createToolWriter({
    names: PLAIN_NAMES,
    dialect: 'openai',
    strict: 'openai-strict',
    // Absent, strict means true here.
    write: ({ description }, { name, schema, strict }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict,
    }),
  });

  function itemsFor(detail: string | undefined): (message: Message) => readonly string[] {
    const known = encoders.get(detail);
    if (known !== undefined) return known;
    const encode = onceEach((message) => toItems(message, settings.name, detail).map((item) => JSON.stringify(item)));
    encoders.set(detail, encode);
    return encode;
  }

  return (request) => {
    checkRequest(request);
    const options = readOptions(settings.options, request.options, TAKEN);
    const detail = typeof options.imageDetail === 'string' ? options.imageDetail : undefined;
    const tools = toolsOf(request.tools);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    for (const name of ['stop', 'seed'] as const) {
      if (options[name] !== undefined) warnings.push({ message: `${name} is left out: this wire has none` });
    }
    const streams = request.stream !== false;
    const reasons = REASONING_MODELS.test(request.model) || options.reasoningEffort !== undefined;
    const head = {
      store: false,
      ...(reasons ? { include: ['reasoning.encrypted_content'] } : {}),
      ...options.rest,
      model: request.model,
      ...(streams ? { stream: true } : {}),
      ...mapped(options),
      ...(tools === undefined ? {} : toolOptions(request, options)),
      ...textFormat(request, warnings),
    };
    const toolPart = tools === undefined ? '' : `,"tools":[${tools.texts.join(',')}]`;
    return {
      path: `${settings.root}/responses${settings.search}`,
      body: `${JSON.stringify(head).slice(0, -1)}${toolPart},"input":[${request.messages.flatMap(itemsFor(detail)).join(',')}]}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      codec: tools?.codec,
    };
  };
}

function mapped(options: ModelOptions): Record<string, unknown> {
  return {
    max_output_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    ...(options.reasoningEffort === undefined
      ? {}
      : { reasoning: { ...asFields(options.rest['reasoning']), effort: options.reasoningEffort } }),
  };
}

function toolOptions({ toolChoice }: ProviderRequest, options: ModelOptions): object {
  return {
    tool_choice:
      typeof toolChoice === 'object'
        ? { type: 'function', name: toWireName(toolChoice.name, PLAIN_NAMES) }
        : toolChoice,
    parallel_tool_calls: options.parallelToolCalls,
  };
}

function textFormat({ responseFormat }: ProviderRequest, warnings: ProviderWarning[]): object {
  if (responseFormat === undefined) return {};
  const { name, schema } = responseFormat;
  const gap = responseFormat.strict === true ? strictGap(schema) : undefined;
  if (gap !== undefined)
    warnings.push({ message: `response format without strict mode: ${gap.message}`, path: gap.path });
  const strict = responseFormat.strict === true && gap === undefined;
  return { text: { format: { type: 'json_schema', name, schema, strict } } };
}
