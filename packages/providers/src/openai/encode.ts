import type { JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { strictGap } from '../schema-dialects/strict.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';
import { createMessageEncoder, type MessageEncoder } from './encode-message.ts';
import type { ChatSettings } from './config.ts';

const RESERVED_KEYS = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);

/**
 * Creates the encoder of one provider. The body is joined from bytes: each frozen message is encoded once, the tools once per list, so that
 * the bytes of a conversation only grow and a turn costs little more than its new messages.
 */
export function createChatEncoder(settings: ChatSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string | undefined, MessageEncoder>();
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: settings.dialect,
    strict: settings.sendStrict ? 'openai-strict' : undefined,
    encode: ({ description }, { name, schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: schema, ...(settings.sendStrict ? { strict } : {}) },
    }),
  });

  function encoderFor(detail: string | undefined): MessageEncoder {
    const known = encoders.get(detail);
    if (known !== undefined) return known;
    const encoder = createMessageEncoder(settings, detail);
    encoders.set(detail, encoder);
    return encoder;
  }

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const tools = encodeTools(request.tools);
    const messages = encoderFor(options.imageDetail);
    const format = formatOf(request, settings);
    const streams = request.stream !== false;
    const head = {
      ...options.extra,
      model: request.model,
      ...(streams
        ? { stream: true, ...(settings.streamUsage ? { stream_options: { include_usage: true } } : {}) }
        : {}),
      ...samplingFields(options, settings),
      ...(tools === undefined ? {} : toolFields(request, options, settings)),
      ...(format === undefined ? {} : { response_format: format.body }),
    };
    const prefix = JSON.stringify(head).slice(0, -1);
    const before = format?.message === undefined ? '' : `${format.message},`;
    const toolPart = tools === undefined ? [] : [',"tools":', tools.bytes()];
    const beforeMessages = [prefix, ...toolPart, `,"messages":[${before}`];
    const { bytes, free } = messages.bodyOf(beforeMessages, request.messages, ']}');
    return {
      path: settings.path('chat/completions'),
      body: bytes,
      freeBody: free,
      accept: streams ? 'text/event-stream' : 'application/json',
      toolDecoder: tools?.toolDecoder,
      warnings: [...(tools?.warnings ?? []), ...(format?.warnings ?? [])],
    };
  };
}

function samplingFields(options: ResolvedOptions, settings: ChatSettings): Record<string, JsonValue | undefined> {
  // JSON.stringify omits undefined values.
  return {
    [settings.maxTokensField]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    [settings.seedField]: options.seed,
    reasoning_effort: options.reasoningEffort,
  };
}

function toolFields(request: ProviderRequest, options: ResolvedOptions, settings: ChatSettings): object {
  const choice = request.toolChoice;
  return {
    tool_choice:
      typeof choice === 'object'
        ? { type: 'function', function: { name: toWireName(choice.name, TOOL_NAME) } }
        : choice === 'required'
          ? settings.requiredToolChoice
          : choice,
    parallel_tool_calls: settings.parallelToolCalls ? options.parallelToolCalls : undefined,
  };
}

interface Format {
  readonly body: object;
  /** An additional first message, for servers that take no schema. */
  readonly message?: string;
  readonly warnings: readonly ProviderWarning[];
}

function formatOf({ responseFormat }: ProviderRequest, settings: ChatSettings): Format | undefined {
  if (responseFormat === undefined) return undefined;
  if (settings.responseFormat === 'object') {
    const { text, warning } = schemaInstruction(responseFormat);
    return {
      body: { type: 'json_object' },
      message: JSON.stringify({ role: 'system', content: text }),
      warnings: [warning],
    };
  }
  const { name, schema } = responseFormat;
  const gap = responseFormat.strict === true ? strictGap(schema) : undefined;
  const strict = responseFormat.strict === true && gap === undefined;
  return {
    body: { type: 'json_schema', json_schema: { name, schema, strict } },
    warnings:
      gap === undefined ? [] : [{ message: `response format without strict mode: ${gap.message}`, path: gap.path }],
  };
}
