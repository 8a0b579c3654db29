import { toJsonText } from '@kernel/internal';
import type { CachePoint, JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import type { Renamings } from '../schema-dialects/property-names.ts';
import { strictFormat } from '../schema-dialects/strict.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { acceptedOptions, type Notes, notesOf } from '../wire/model-rules.ts';
import { createToolEncoder, type EncodedTools } from '../wire/tool-encoder.ts';
import { audioTypeOf } from './audio.ts';
import { createMessageEncoder, type MessageEncoder } from './encode-message.ts';
import type { ChatSettings } from './config.ts';
import { openaiCache, withMarks } from './prompt-cache.ts';
import { joinBytes } from '../http/join-bytes.ts';
import { limitsOf } from '../vendor-rules/vendor-limits.ts';
import type { VendorLimits } from '../vendor-rules/rules.ts';
import { inOrder } from '../wire/alternating-messages.ts';
import type { ChatModelRules } from './models.ts';

const RESERVED_KEYS = new Set(['model', 'messages', 'tools', 'tool_choice', 'toolChoice', 'stream', 'signal']);

/** The body is joined from bytes, so that those of a conversation only grow and a turn costs little more than its new messages. */
export function createChatEncoder(settings: ChatSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string, MessageEncoder>();
  const renamings: Renamings = new Map();
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: settings.dialect,
    vendor: settings.name,
    renamings,
    strict: settings.sendStrict ? 'openai-strict' : undefined,
    encode: ({ description }, { name, schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: schema, ...(settings.sendStrict ? { strict } : {}) },
    }),
  });

  function encoderFor(detail: string | undefined, limits: VendorLimits): MessageEncoder {
    const { emptyReply, foreignSignature, reasoningContent } = limits;
    const key = [detail, emptyReply, foreignSignature, reasoningContent].join();
    const known = encoders.get(key);
    if (known !== undefined) return known;
    const encoder = createMessageEncoder(settings, detail, limits, renamings);
    encoders.set(key, encoder);
    return encoder;
  }

  let last: { readonly key: string; readonly tools: EncodedTools | undefined; readonly head: Head } | undefined;
  function headOf(request: ProviderRequest): Head {
    const tools = encodeTools(request.tools, request.model);
    const key = keyOf(request);
    if (last !== undefined && last.key === key && last.tools === tools) return last.head;
    const head = encodeHead(settings, request, tools);
    last = key === undefined ? undefined : { key, tools, head };
    return head;
  }

  return (request) => {
    checkRequest(request);
    const { before, imageDetail, points, reply } = headOf(request);
    const limits = limitsOf(settings.name, request.model);
    const messages = withMarks(inOrder(request.messages, limits), points);
    const { bytes, free } = encoderFor(imageDetail, limits).bodyOf(before, messages, ']}');
    return { ...reply, body: bytes, freeBody: free };
  };
}

/** All of a request but its messages, which alone differ from turn to turn. */
interface Head {
  /** The body up to the first message. */
  readonly before: Uint8Array;
  readonly imageDetail: string | undefined;
  readonly points: readonly CachePoint[] | undefined;
  readonly reply: Omit<EncodedRequest, 'body' | 'freeBody'>;
}

/** The options that the head of a request depends on, as a key; undefined for options that are not JSON. */
function keyOf({ cache, model, options, responseFormat, stream, toolChoice }: ProviderRequest): string | undefined {
  try {
    return JSON.stringify([model, stream, toolChoice, options, responseFormat, cache]);
  } catch {
    return undefined;
  }
}

function encodeHead(settings: ChatSettings, request: ProviderRequest, tools: EncodedTools | undefined): Head {
  const given = resolveOptions(settings.options, request.options, RESERVED_KEYS);
  const rules = settings.rulesOf(request.model);
  const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
  const notes = notesOf(request.model, warnings);
  const options = acceptedOptions(tools === undefined ? given : besideTools(given, rules, notes), rules, notes);
  const format = formatOf(request, settings.responseFormat === 'schema' ? rules.replyFormat : 'object');
  const streams = request.stream !== false;
  const cache = openaiCache(request, settings.promptCache, warnings);
  const head = {
    ...options.extra,
    model: request.model,
    ...(streams ? { stream: true, ...(settings.streamUsage ? { stream_options: { include_usage: true } } : {}) } : {}),
    ...samplingFields(options, settings, rules, notes),
    ...cache.fields,
    ...(tools === undefined ? {} : toolFields(request, options, settings, notes)),
    ...(format?.body === undefined ? {} : { response_format: format.body }),
  };
  const prefix = toJsonText(head).slice(0, -1);
  const first = format?.message === undefined ? '' : `${format.message},`;
  const toolPart = tools === undefined ? [] : [',"tools":', tools.bytes()];
  return {
    before: joinBytes([prefix, ...toolPart, `,"messages":[${first}`]),
    imageDetail: given.imageDetail,
    points: cache.points,
    reply: {
      path: settings.path('chat/completions'),
      accept: streams ? 'text/event-stream' : 'application/json',
      toolDecoder: tools?.toolDecoder,
      audioType: audioTypeOf(options.extra['audio']),
      warnings: [...warnings, ...(format?.warnings ?? [])],
    },
  };
}

/** Several of OpenAI's models reason beside function tools only in the Responses API. */
function besideTools(options: ResolvedOptions, { chatTools }: ChatModelRules, notes: Notes): ResolvedOptions {
  if (chatTools === 'always') return options;
  const { reasoningEffort: asked, ...others } = options;
  const what = asked === undefined ? 'an absent reasoningEffort' : `reasoningEffort ${JSON.stringify(asked)}`;
  const why = 'with tools this model reasons only in the Responses API, the provider "openai-responses"';
  if (chatTools === 'never') {
    notes.mayBeRefused('tools', 'with this model only the Responses API takes them, the provider "openai-responses"');
    return options;
  }
  if (chatTools === 'without-effort') {
    if (asked !== undefined && asked !== 'none') notes.leftOut(what, why);
    return others;
  }
  if (asked !== 'none') notes.sentAs(what, '"none"', why);
  return { ...others, reasoningEffort: 'none' };
}

function samplingFields(
  options: ResolvedOptions,
  settings: ChatSettings,
  { effortFields, newMaxTokens }: ChatModelRules,
  notes: Notes,
): Record<string, JsonValue | undefined> {
  const limit = settings.fixedMaxTokensField ?? (newMaxTokens ? 'max_completion_tokens' : settings.maxTokensField);
  const { reasoningEffort: effort } = options;
  const own = effort === undefined ? undefined : effortFields?.get(effort);
  if (own !== undefined && effort !== 'none')
    notes.sentAs(`reasoningEffort ${JSON.stringify(effort)}`, JSON.stringify(own));
  // JSON.stringify omits undefined values.
  return {
    [limit]: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    [settings.seedField]: options.seed,
    ...(own ?? { reasoning_effort: effort }),
  };
}

function toolFields(request: ProviderRequest, options: ResolvedOptions, settings: ChatSettings, notes: Notes): object {
  const choice = request.toolChoice;
  if (!settings.parallelToolCalls && options.parallelToolCalls === false)
    notes.leftOut('parallelToolCalls', `${settings.name} does not take it`);
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
  readonly body?: object;
  /** An additional first message, for servers that take no schema. */
  readonly message?: string;
  readonly warnings: readonly ProviderWarning[];
}

function formatOf({ responseFormat }: ProviderRequest, accepted: ChatModelRules['replyFormat']): Format | undefined {
  if (responseFormat === undefined) return undefined;
  if (accepted !== 'schema') {
    const { text, warning } = schemaInstruction(responseFormat);
    return {
      ...(accepted === 'object' ? { body: { type: 'json_object' } } : {}),
      message: toJsonText({ role: 'system', content: text }),
      warnings: [warning],
    };
  }
  const { format, warnings } = strictFormat(responseFormat);
  return { body: { type: 'json_schema', json_schema: format }, warnings };
}
