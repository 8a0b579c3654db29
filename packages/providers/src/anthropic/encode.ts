import type { JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { asFields } from '../json-fields.ts';
import { placeholderTools } from '../wire/placeholder-tools.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { toDialect } from '../schema-dialects/to-dialect.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles, type EncodedMessage } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';
import { toBlocks } from './blocks.ts';

const RESERVED_KEYS = new Set(
  'model messages system tools tool_choice toolChoice stream signal stop_sequences'.split(' '),
);
/** The API requires a limit. */
const DEFAULT_MAX_TOKENS = 8192;
/** The thinking budget by effort. The API counts it within the reply's limit, so it is added to that. */
const THINKING_TOKENS: ReadonlyMap<JsonValue | undefined, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
]);
const CACHE_CONTROL = ',"cache_control":{"type":"ephemeral"}}';

/** Creates the encoder of one provider. Each frozen message is encoded once, the tools once per list. @internal */
export function createAnthropicEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const blocksOf = cachePerMessage((message) => toBlocks(message, settings.name));
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'anthropic',
    encode: ({ description }, { name, schema }) => ({
      name,
      ...(description === '' ? {} : { description }),
      input_schema: schema,
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const offered = encodeTools(request.tools);
    // A history with calls is refused without tools: placeholders take their place, and may not be called.
    const placeholders = offered === undefined ? placeholderTools(request.messages) : undefined;
    const tools = offered ?? encodeTools(placeholders);
    const caches = request.cache !== 'off';
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const streams = request.stream !== false;
    const head = {
      ...options.extra,
      model: request.model,
      ...samplingFields(options),
      ...outputFormat(request, options, warnings),
      ...(tools === undefined ? {} : { tool_choice: toolChoice(request, options, placeholders !== undefined) }),
      ...(streams ? { stream: true } : {}),
    };
    if (options.seed !== undefined) warnings.push({ message: 'seed is left out: this API does not have it' });
    const { system, messages } = alternateRoles(request.messages, blocksOf);
    const parts = [
      JSON.stringify(head).slice(0, -1),
      ...(tools === undefined ? [] : [`"tools":[${withCacheControl(tools.texts, caches).join(',')}]`]),
      ...(system.length === 0
        ? []
        : [
            `"system":[${withCacheControl(
              system.map((text) => JSON.stringify({ type: 'text', text })),
              caches,
            ).join(',')}]`,
          ]),
      `"messages":[${encodeMessages(messages, caches).join(',')}]`,
    ];
    return {
      path: `${settings.basePath}/messages${settings.query}`,
      body: `${parts.join(',')}}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      toolDecoder: offered?.toolDecoder,
    };
  };
}

function encodeMessages(messages: readonly EncodedMessage[], caches: boolean): readonly string[] {
  return messages.map(({ blocks, role }, at) => {
    const isLastUser = at === messages.length - 1 && role === 'user';
    return `{"role":"${role}","content":[${withCacheControl(blocks, caches && isLastUser).join(',')}]}`;
  });
}

/** Marks the last of these blocks: everything up to it is cached. */
function withCacheControl(blocks: readonly string[], caches: boolean): readonly string[] {
  return caches
    ? blocks.map((text, at) => (at === blocks.length - 1 ? text.slice(0, -1) + CACHE_CONTROL : text))
    : blocks;
}

function samplingFields(options: ResolvedOptions): Record<string, JsonValue | undefined> {
  const thinking = THINKING_TOKENS.get(options.reasoningEffort);
  const limit = typeof options.maxTokens === 'number' ? options.maxTokens : DEFAULT_MAX_TOKENS;
  return {
    max_tokens: limit + (thinking ?? 0),
    ...(thinking === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: thinking } }),
    temperature: options.temperature,
    top_p: options.topP,
    stop_sequences: options.stop === undefined ? undefined : [options.stop].flat(),
  };
}

function toolChoice(request: ProviderRequest, options: ResolvedOptions, isClosing: boolean): object | undefined {
  const choice = isClosing ? 'none' : request.toolChoice;
  if (choice === 'none') return { type: 'none' };
  const parallel = options.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (typeof choice === 'object') return { type: 'tool', name: toWireName(choice.name, TOOL_NAME), ...parallel };
  if (choice === 'required') return { type: 'any', ...parallel };
  return choice === undefined && options.parallelToolCalls !== false ? undefined : { type: 'auto', ...parallel };
}

function outputFormat(
  { responseFormat }: ProviderRequest,
  { extra }: ResolvedOptions,
  warnings: ProviderWarning[],
): { output_config?: object } {
  if (responseFormat === undefined) return {};
  const { losses, schema } = toDialect(responseFormat.schema, 'anthropic-output');
  for (const { keyword, message, path } of losses)
    warnings.push({ message: `response format: ${keyword} ${message}`, path });
  return { output_config: { ...asFields(extra['output_config']), format: { type: 'json_schema', schema } } };
}
