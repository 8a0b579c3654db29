import type { JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { strictGap } from '../dialects/strict.ts';
import { type ModelOptions, readOptions } from '../config/model-options.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { PLAIN_NAMES, toWireName } from '../wire/names.ts';
import { createToolWriter } from '../wire/tool-encoder.ts';
import { createMessageEncoder, type MessageEncoder } from './encode-message.ts';
import type { ChatSettings } from './quirks.ts';

const TAKEN = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);

/**
 * Creates the encoder of one provider. The body is bytes put together from parts: each frozen message is written once, the tools
 * once per list, so that the bytes of a conversation only grow and a turn costs little beside its new messages.
 */
export function createChatEncoder(settings: ChatSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string | undefined, MessageEncoder>();
  const toolsOf = createToolWriter({
    names: PLAIN_NAMES,
    dialect: settings.dialect,
    strict: settings.sendStrict ? 'openai-strict' : undefined,
    write: ({ description }, { name, schema, strict }) => ({
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
    const options = readOptions(settings.options, request.options, TAKEN);
    const detail = typeof options.imageDetail === 'string' ? options.imageDetail : undefined;
    const tools = toolsOf(request.tools);
    const messages = encoderFor(detail);
    const format = formatOf(request, settings);
    const streams = request.stream !== false;
    const head = {
      ...options.rest,
      model: request.model,
      ...(streams
        ? { stream: true, ...(settings.streamUsage ? { stream_options: { include_usage: true } } : {}) }
        : {}),
      ...mapped(options, settings),
      ...(tools === undefined ? {} : toolOptions(request, options, settings)),
      ...(format === undefined ? {} : { response_format: format.body }),
    };
    const prefix = JSON.stringify(head).slice(0, -1);
    const before = format?.message === undefined ? '' : `${format.message},`;
    const toolPart = tools === undefined ? [] : [',"tools":', tools.bytes()];
    const begin = [prefix, ...toolPart, `,"messages":[${before}`];
    const { bytes, callIds, free } = messages.bodyOf(begin, request.messages, ']}');
    return {
      path: settings.path('chat/completions', request.model),
      body: bytes,
      callIds,
      freeBody: free,
      accept: streams ? 'text/event-stream' : 'application/json',
      codec: tools?.codec,
      warnings: [...(tools?.warnings ?? []), ...(format?.warnings ?? [])],
    };
  };
}

function mapped(options: ModelOptions, settings: ChatSettings): Record<string, JsonValue | undefined> {
  // JSON.stringify leaves out what is undefined.
  return {
    [settings.maxTokensField]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    [settings.seedField]: options.seed,
    reasoning_effort: options.reasoningEffort,
  };
}

function toolOptions(request: ProviderRequest, options: ModelOptions, settings: ChatSettings): object {
  const choice = request.toolChoice;
  return {
    tool_choice:
      typeof choice === 'object'
        ? { type: 'function', function: { name: toWireName(choice.name, PLAIN_NAMES) } }
        : choice === 'required'
          ? settings.requiredChoice
          : choice,
    parallel_tool_calls: settings.parallelCalls ? options.parallelToolCalls : undefined,
  };
}

interface Format {
  readonly body: object;
  /** A message in front, for servers that take no schema. */
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
