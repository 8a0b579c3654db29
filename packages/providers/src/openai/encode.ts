import type { JsonValue, ProviderRequest, ProviderWarning, Tool } from '@kernel/protocol';
import { checkRequest } from '../check-request.ts';
import { strictGap } from '../dialect/strict.ts';
import { toFunctionDefinition } from '../function-definition.ts';
import { type ModelOptions, readOptions } from '../options.ts';
import { createMessageEncoder, type MessageEncoder } from './encode-message.ts';
import type { ChatSettings } from './wire-types.ts';

/** A request's body and what could not be carried as asked. @internal */
export interface EncodedChat {
  readonly body: string;
  readonly streams: boolean;
  readonly warnings: readonly ProviderWarning[];
}

interface EncodedTools {
  readonly tools: readonly Tool[];
  readonly text: string;
  readonly warnings: readonly ProviderWarning[];
}

const TAKEN = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);

/**
 * Creates the encoder of one provider. The body is a prefix and joined parts: each frozen message is written once, the tools
 * once per list, so that the bytes of a conversation only grow and a turn costs little beside its new messages.
 */
export function createChatEncoder(settings: ChatSettings): (request: ProviderRequest) => EncodedChat {
  const encoders = new Map<string | undefined, MessageEncoder>();
  const toolLists = new WeakMap<readonly Tool[], EncodedTools>();

  function encoderFor(detail: string | undefined): MessageEncoder {
    const known = encoders.get(detail);
    if (known !== undefined) return known;
    const encoder = createMessageEncoder(settings, detail);
    encoders.set(detail, encoder);
    return encoder;
  }

  function encodeTools(tools: readonly Tool[]): EncodedTools {
    const known = toolLists.get(tools);
    if (
      known !== undefined &&
      known.tools.length === tools.length &&
      known.tools.every((tool, at) => tool === tools[at])
    ) {
      return known;
    }
    const encoded = writeTools(tools, settings.sendStrict);
    toolLists.set(tools, encoded);
    return encoded;
  }

  return (request) => {
    checkRequest(request);
    const options = readOptions(settings.options, request.options, TAKEN);
    const detail = typeof options.imageDetail === 'string' ? options.imageDetail : undefined;
    const tools = request.tools === undefined || request.tools.length === 0 ? undefined : encodeTools(request.tools);
    const messages = encoderFor(detail);
    const format = formatOf(request);
    const streams = request.stream !== false;
    const head = {
      ...options.rest,
      model: request.model,
      ...(streams
        ? { stream: true, ...(settings.streamUsage ? { stream_options: { include_usage: true } } : {}) }
        : {}),
      ...mapped(options, settings),
      ...(tools === undefined ? {} : toolOptions(request, options)),
      ...(format === undefined ? {} : { response_format: format.body }),
    };
    const prefix = JSON.stringify(head).slice(0, -1);
    const toolPart = tools === undefined ? '' : `,"tools":${tools.text}`;
    return {
      body: `${prefix}${toolPart},"messages":[${messages.encodeAll(request.messages)}]}`,
      streams,
      warnings: [...(tools?.warnings ?? []), ...(format?.warnings ?? [])],
    };
  };
}

function writeTools(tools: readonly Tool[], sendStrict: boolean): EncodedTools {
  const warnings: ProviderWarning[] = [];
  const definitions = tools.map((tool) => {
    const definition = toFunctionDefinition(tool);
    const gap = tool.strict === true ? strictGap(tool.parameters) : undefined;
    if (gap !== undefined) {
      warnings.push({ message: `sent without strict mode: ${gap.message}`, tool: tool.name, path: gap.path });
    }
    if (sendStrict) return definition;
    const { description, name, parameters } = definition.function;
    return { type: 'function', function: { name, description, parameters } };
  });
  return { tools: [...tools], text: JSON.stringify(definitions), warnings };
}

function mapped(options: ModelOptions, settings: ChatSettings): Record<string, JsonValue | undefined> {
  // JSON.stringify leaves out what is undefined.
  return {
    [settings.maxTokensField]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    seed: options.seed,
    reasoning_effort: options.reasoningEffort,
  };
}

function toolOptions(request: ProviderRequest, options: ModelOptions): object {
  const choice = request.toolChoice;
  return {
    tool_choice: typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice,
    parallel_tool_calls: options.parallelToolCalls,
  };
}

function formatOf({
  responseFormat,
}: ProviderRequest): { body: object; warnings: readonly ProviderWarning[] } | undefined {
  if (responseFormat === undefined) return undefined;
  const { name, schema } = responseFormat;
  const gap = responseFormat.strict === true ? strictGap(schema) : undefined;
  const strict = responseFormat.strict === true && gap === undefined;
  return {
    body: { type: 'json_schema', json_schema: { name, schema, strict } },
    warnings:
      gap === undefined ? [] : [{ message: `response format without strict mode: ${gap.message}`, path: gap.path }],
  };
}
