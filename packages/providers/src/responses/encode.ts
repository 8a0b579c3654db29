import { toJsonText } from '@kernel/internal';
import { type Message, type ProviderRequest, type ProviderWarning, textOf } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { strictFormat } from '../schema-dialects/strict.ts';
import { asFields, asList } from '../json-fields.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { OPENAI_ORIGIN, gptRules, type GptRules, gptRulesAtOpenAI } from '../openai/models.ts';
import { openaiCache, withMarks } from '../openai/prompt-cache.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { acceptedOptions, notesOf, TAKES_ALL } from '../wire/model-rules.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { createNameCheck } from '../wire/server-tools/check-names.ts';
import { createToolEncoder, type EncodedTools } from '../wire/tool-encoder.ts';
import { backgroundPaths, isBackground } from './background.ts';
import { hasUnencrypted, toItems } from './items.ts';
import { modelNameOf, clientCallItems, clientToolChoice, clientCallResult, clientToolName } from './client-calls.ts';

const RESERVED_KEYS = new Set(
  'model messages input tools tool_choice toolChoice stream signal previous_response_id'.split(' '),
);
/** The tool that answers for approvals of hosted servers: models do not call it. */
const UNSENT: ReadonlySet<string> = new Set(['mcp_approval']);

export function createResponsesEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string, (message: Message) => readonly string[]>();
  const paths = backgroundPaths(settings);
  const hostsServers = settings.serverTools.definitions.some(({ type }) => type === 'mcp');
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'openai',
    vendor: settings.name,
    strict: 'openai-strict',
    serverTools: settings.serverTools,
    clientToolName,
    checkName: createNameCheck(settings.name, settings.serverTools, (definition) => [modelNameOf(definition)]),
    unsentTools: hostsServers ? UNSENT : undefined,
    // In this API an absent `strict` means true.
    encode: ({ description }, { name, schema, strict, isDeferred }) => ({
      type: 'function',
      name,
      description,
      parameters: schema,
      strict,
      ...(isDeferred ? { defer_loading: true } : {}),
    }),
  });

  function itemsFor(detail: string | undefined, isStored: boolean): (message: Message) => readonly string[] {
    const key = `${detail} ${isStored}`;
    const known = encoders.get(key);
    if (known !== undefined) return known;
    const encode = cachePerMessage((message) =>
      toItems(message, settings.name, detail, isStored).map((item) => toJsonText(item)),
    );
    encoders.set(key, encode);
    return encode;
  }

  function encodeMessages(
    messages: readonly Message[],
    detail: string | undefined,
    isStored: boolean,
  ): readonly string[] {
    const encode = itemsFor(detail, isStored);
    const clientCalls = clientCallItems(messages, settings.name);
    return messages.flatMap((message) => {
      const item = message.role === 'tool' ? clientCalls.get(message.toolCallId) : undefined;
      if (message.role !== 'tool' || item === undefined) return encode(message);
      return [toJsonText(clientCallResult(item, message, textOf(message)))];
    });
  }

  return (request) => {
    checkRequest(request);
    const given = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const tools = encodeTools(request.tools, request.model);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const rules = responsesRules(request.model, settings.origin === OPENAI_ORIGIN);
    const options = acceptedOptions(given, rules, notesOf(request.model, warnings));
    for (const name of ['stop', 'seed'] as const) {
      if (options[name] !== undefined) warnings.push({ message: `${name} is left out: this API does not have it` });
    }
    const streams = request.stream !== false;
    const inBackground = isBackground(settings.name, options.extra);
    const reasons = rules.hasReasoning || options.reasoningEffort !== undefined;
    const include = [
      ...(reasons ? ['reasoning.encrypted_content'] : []),
      ...asList(settings.serverTools.fields['include']),
    ];
    const cache = openaiCache(request, true, warnings);
    const head = {
      store: inBackground,
      ...(include.length === 0 ? {} : { include }),
      ...options.extra,
      model: request.model,
      ...(streams ? { stream: true } : {}),
      ...optionFields(options),
      ...cache.fields,
      ...(tools === undefined ? {} : toolFields(request, options, tools)),
      ...(rules.takesSchema ? textFields(request, warnings) : {}),
    };
    const marked = withMarks(request.messages, cache.points);
    const items = [...encodeMessages(marked, options.imageDetail, head.store)];
    if (request.responseFormat !== undefined && !rules.takesSchema) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      items.unshift(toJsonText({ role: 'system', content: text }));
      warnings.push(warning);
    }
    // Asked for once a reply had reasoning that can't go back. Last, so that the bytes before it stay those of the
    // request before.
    const isFound = !('include' in head) && request.messages.some((message) => hasUnencrypted(message, settings.name));
    const found = isFound ? ',"include":["reasoning.encrypted_content"]' : '';
    const toolPart = tools === undefined ? '' : `,"tools":[${tools.texts.join(',')}]`;
    return {
      path: `${settings.basePath}/responses${settings.query}`,
      body: `${toJsonText(head).slice(0, -1)}${toolPart},"input":[${items.join(',')}]${found}}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      toolDecoder: tools?.toolDecoder,
      background: inBackground ? paths : undefined,
    };
  };
}

function optionFields(options: ResolvedOptions): Record<string, unknown> {
  return {
    max_output_tokens: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    ...(options.reasoningEffort !== undefined && {
      reasoning: { ...asFields(options.extra['reasoning']), effort: options.reasoningEffort },
    }),
  };
}

function toolFields({ toolChoice }: ProviderRequest, options: ResolvedOptions, tools: EncodedTools): object {
  return {
    tool_choice: typeof toolChoice === 'object' ? namedChoice(toolChoice.name, tools) : toolChoice,
    parallel_tool_calls: options.parallelToolCalls,
  };
}

function namedChoice(name: string, { toolDecoder: { clientTools } }: EncodedTools): object {
  return clientTools?.has(name) === true
    ? clientToolChoice(name, clientTools.get(name))
    : { type: 'function', name: toWireName(name, TOOL_NAME) };
}

function textFields({ responseFormat }: ProviderRequest, warnings: ProviderWarning[]): object {
  if (responseFormat === undefined) return {};
  const { format, warnings: gaps } = strictFormat(responseFormat);
  warnings.push(...gaps);
  return { text: { format: { type: 'json_schema', ...format } } };
}

/** As of November 2026. OpenAI's families are the same in both APIs, but here every model takes tools beside an effort, and efforts go up to `max`. */
export function responsesRules(model: string, isOpenAI: boolean) {
  const rules = isOpenAI ? gptRulesAtOpenAI(model) : gptRules(model);
  return rules === undefined ? { ...TAKES_ALL, hasReasoning: false, takesSchema: true } : fromGpt(rules);
}

function fromGpt({ efforts, reasons, refused, replyFormat, sampling, samplingFields }: GptRules) {
  return {
    efforts,
    reasons,
    sampling,
    samplingFields,
    // No model has it in this API.
    refused: refused.filter((name) => name !== 'stop'),
    /** Whether a request may ask for the encrypted reasoning. */
    hasReasoning: efforts.length > 0,
    takesSchema: replyFormat === 'schema',
  };
}
