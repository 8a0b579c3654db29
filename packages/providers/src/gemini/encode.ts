import { toJsonText } from '@kernel/internal';
import type { JsonObject, JsonValue, Message, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { toDialect } from '../schema-dialects/to-dialect.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { asFields, asJsonFields, definedFields, type Fields } from '../json-fields.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { resolveCache } from '../wire/prompt-cache.ts';
import { acceptedOptions, type Notes, notesOf } from '../wire/model-rules.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { LETTER_FIRST_TOOL_NAME, toWireName } from '../wire/names.ts';
import { createNameCheck } from '../wire/server-tools/check-names.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';
import { toParts } from './parts.ts';
import { limitsOf } from '../vendor-rules/vendor-limits.ts';
import type { VendorLimits } from '../vendor-rules/rules.ts';
import { cachedContentName, geminiPath } from './config.ts';
import { type GeminiRules, geminiRules } from './models.ts';

const RESERVED_KEYS = new Set(
  'model messages contents systemInstruction tools toolConfig tool_choice toolChoice stream signal'.split(' '),
);

export function createGeminiEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const encoders = new Map<string | undefined, (message: Message) => readonly string[]>();
  function partsFor({ foreignSignature }: VendorLimits): (message: Message) => readonly string[] {
    const known = encoders.get(foreignSignature);
    if (known !== undefined) return known;
    const partsOf = cachePerMessage((message) =>
      toParts(message, settings.name, foreignSignature).map((part) => toJsonText(part)),
    );
    encoders.set(foreignSignature, partsOf);
    return partsOf;
  }
  const encodeTools = createToolEncoder({
    names: LETTER_FIRST_TOOL_NAME,
    dialect: 'gemini',
    vendor: settings.name,
    checkName: createNameCheck(settings.name, settings.serverTools, modelNamesOf),
    encode: ({ description }, { name, schema }) => ({ name, description, parametersJsonSchema: schema }),
  });

  const { toolConfig: serverConfig, ...serverFields } = settings.serverTools.fields;
  const toolConfigField = (request: ProviderRequest | undefined): object =>
    request === undefined && serverConfig === undefined
      ? {}
      : { toolConfig: { ...asFields(serverConfig), ...(request && toolConfig(request)) } };
  const serverTools = settings.serverTools.definitions.map((definition) => toJsonText(definition));

  return (request) => {
    checkRequest(request);
    const given = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const tools = encodeTools(request.tools, request.model);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const rules = geminiRules(request.model);
    const { options, configured, extra } = acceptedConfig(given, rules, notesOf(request.model, warnings));
    if (options.parallelToolCalls === false) {
      warnings.push({ message: 'parallelToolCalls: false is left out: this API does not have it' });
    }
    const cachedContent = cachedContentOf(request, warnings);
    // Cached content has its own; the API refuses a request that names it and has them too.
    const sendsContext = cachedContent === undefined;
    const generationConfig = { ...configured, ...generationConfigOf(request, options, rules, warnings) };
    const { system, messages } = alternateRoles(request.messages, partsFor(limitsOf(settings.name, request.model)));
    const streams = request.stream !== false;
    const head = {
      ...serverFields,
      ...extra,
      ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
      ...(cachedContent === undefined ? {} : { cachedContent }),
      ...(system.length === 0 || !sendsContext
        ? {}
        : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
      ...(sendsContext
        ? toolConfigField(tools === undefined || request.toolChoice === undefined ? undefined : request)
        : {}),
    };
    const contents = messages.map(
      ({ blocks, role }) => `{"role":"${role === 'user' ? 'user' : 'model'}","parts":[${blocks.join(',')}]}`,
    );
    const text = toJsonText(head).slice(0, -1);
    const prefix = text === '{' ? text : `${text},`;
    const functions = tools === undefined ? [] : [`{"functionDeclarations":[${tools.texts.join(',')}]}`];
    const offered = sendsContext ? [...functions, ...serverTools] : [];
    const toolPart = offered.length === 0 ? '' : `"tools":[${offered.join(',')}],`;
    return {
      path: geminiPath(settings, request.model, streams ? 'streamGenerateContent' : 'generateContent'),
      body: `${prefix}${toolPart}"contents":[${contents.join(',')}]}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      toolDecoder: tools?.toolDecoder,
    };
  };
}

/** The model calls a tool by its field, or as Google's guides and our parts of the message write it: `googleSearch`, `google_search`. */
function modelNamesOf(definition: JsonObject): readonly string[] {
  return Object.keys(definition).flatMap((field) => [
    field,
    field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]);
}

function cachedContentOf(request: ProviderRequest, warnings: ProviderWarning[]): string | undefined {
  const { content } = resolveCache(request, ['content'], warnings);
  if (content === undefined) return undefined;
  if (request.toolChoice !== undefined && request.toolChoice !== 'auto')
    warnings.push({ message: 'toolChoice is left out: this API takes none beside cache.content' });
  return cachedContentName(content);
}

function acceptedConfig(
  { extra: { generationConfig, ...extra }, ...known }: ResolvedOptions,
  rules: GeminiRules,
  notes: Notes,
): { readonly options: ResolvedOptions; readonly configured: Fields; readonly extra: JsonObject } {
  const { temperature, topP, ...fields } = asJsonFields(generationConfig);
  const options = acceptedOptions(
    {
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...known,
      extra: fields,
    },
    rules,
    notes,
  );
  return { options, configured: options.extra, extra };
}

function generationConfigOf(
  { responseFormat }: ProviderRequest,
  options: ResolvedOptions,
  rules: GeminiRules,
  warnings: ProviderWarning[],
): Record<string, unknown> {
  const config = definedFields({
    maxOutputTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop === undefined ? undefined : [options.stop].flat(),
    seed: options.seed,
    thinkingConfig: thinkingConfigOf(options.reasoningEffort, rules),
  });
  if (responseFormat === undefined) return config;
  const { losses, schema } = toDialect(responseFormat.schema, 'gemini');
  for (const { keyword, message, path } of losses)
    warnings.push({ message: `response format: ${keyword} ${message}`, path });
  return { ...config, responseMimeType: 'application/json', responseJsonSchema: schema };
}

function thinkingConfigOf(effort: JsonValue | undefined, { budgets }: GeminiRules): object | undefined {
  if (effort === undefined) return undefined;
  if (budgets === undefined) return { includeThoughts: true, thinkingLevel: effort };
  return { includeThoughts: effort !== 'none', thinkingBudget: budgets.get(effort) };
}

function toolConfig({ toolChoice }: ProviderRequest): object {
  if (typeof toolChoice === 'object') {
    const name = toWireName(toolChoice.name, LETTER_FIRST_TOOL_NAME);
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } };
  }
  const mode = toolChoice === 'required' ? 'ANY' : toolChoice === 'none' ? 'NONE' : 'AUTO';
  return { functionCallingConfig: { mode } };
}
