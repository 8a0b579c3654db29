import type { JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { toDialect } from '../schema-dialects/to-dialect.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { asFields } from '../json-fields.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { LETTER_FIRST_TOOL_NAME, toWireName } from '../wire/names.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';
import { toParts } from './parts.ts';
import { geminiPath } from './config.ts';

const RESERVED_KEYS = new Set(
  'model messages contents systemInstruction tools toolConfig tool_choice toolChoice stream signal'.split(' '),
);
const THINKING_BUDGETS: ReadonlyMap<JsonValue, number> = new Map([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
]);

/** Creates the encoder of one provider. Each frozen message is encoded once, the tools once per list. @internal */
export function createGeminiEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const partsOf = cachePerMessage((message) => toParts(message, settings.name).map((part) => JSON.stringify(part)));
  const encodeTools = createToolEncoder({
    names: LETTER_FIRST_TOOL_NAME,
    dialect: 'gemini',
    encode: ({ description }, { name, schema }) => ({ name, description, parametersJsonSchema: schema }),
  });

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const tools = encodeTools(request.tools);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    if (options.parallelToolCalls === false) {
      warnings.push({ message: 'parallelToolCalls: false is left out: this API does not have it' });
    }
    const { generationConfig: configured, ...extra } = options.extra;
    const generationConfig = { ...asFields(configured), ...generationConfigOf(request, options, warnings) };
    const { system, messages } = alternateRoles(request.messages, partsOf);
    const streams = request.stream !== false;
    const head = {
      ...extra,
      ...(Object.values(generationConfig).some((value) => value !== undefined) ? { generationConfig } : {}),
      ...(system.length === 0 ? {} : { systemInstruction: { parts: system.map((text) => ({ text })) } }),
      ...(tools === undefined || request.toolChoice === undefined ? {} : { toolConfig: toolConfig(request) }),
    };
    const contents = messages.map(
      ({ blocks, role }) => `{"role":"${role === 'user' ? 'user' : 'model'}","parts":[${blocks.join(',')}]}`,
    );
    const text = JSON.stringify(head).slice(0, -1);
    const prefix = text === '{' ? text : `${text},`;
    const toolPart = tools === undefined ? '' : `"tools":[{"functionDeclarations":[${tools.texts.join(',')}]}],`;
    return {
      path: geminiPath(settings, request.model, streams ? 'streamGenerateContent' : 'generateContent'),
      body: `${prefix}${toolPart}"contents":[${contents.join(',')}]}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      toolDecoder: tools?.toolDecoder,
    };
  };
}

function generationConfigOf(
  { model, responseFormat }: ProviderRequest,
  options: ResolvedOptions,
  warnings: ProviderWarning[],
): Record<string, unknown> {
  // JSON.stringify omits undefined values.
  const config = {
    maxOutputTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop === undefined ? undefined : [options.stop].flat(),
    seed: options.seed,
    thinkingConfig: thinkingConfigOf(model, options.reasoningEffort),
  };
  if (responseFormat === undefined) return config;
  const { losses, schema } = toDialect(responseFormat.schema, 'gemini');
  for (const { keyword, message, path } of losses)
    warnings.push({ message: `response format: ${keyword} ${message}`, path });
  return { ...config, responseMimeType: 'application/json', responseJsonSchema: schema };
}

/** Models from Gemini 3 on take a level, earlier ones a number of tokens. */
function thinkingConfigOf(model: string, effort: JsonValue | undefined): object | undefined {
  if (effort === undefined) return undefined;
  if (/gemini-(?:[3-9]|\d\d)/.test(model)) return { includeThoughts: true, thinkingLevel: effort };
  const thinkingBudget = THINKING_BUDGETS.get(effort);
  return thinkingBudget === undefined ? undefined : { includeThoughts: thinkingBudget > 0, thinkingBudget };
}

function toolConfig({ toolChoice }: ProviderRequest): object {
  if (typeof toolChoice === 'object') {
    const name = toWireName(toolChoice.name, LETTER_FIRST_TOOL_NAME);
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } };
  }
  const mode = toolChoice === 'required' ? 'ANY' : toolChoice === 'none' ? 'NONE' : 'AUTO';
  return { functionCallingConfig: { mode } };
}
