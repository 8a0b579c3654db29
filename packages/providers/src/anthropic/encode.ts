import { toJsonText } from '@kernel/internal';
import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { asFields, asText, type Fields } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';
import { toDialect } from '../schema-dialects/to-dialect.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles, type EncodedMessage } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { markedMessages, markTtl, type ResolvedCache, resolveCache } from '../wire/prompt-cache.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME } from '../wire/names.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import { createNameCheck } from '../wire/server-tools/check-names.ts';
import { createToolEncoder, placeholderTools } from '../wire/tool-encoder.ts';
import { toBlocks, containerField } from './blocks.ts';
import { rulesOf } from './models.ts';
import { modelSettings } from './settings.ts';

const RESERVED_KEYS = new Set(
  'model messages system tools tool_choice toolChoice stream signal stop_sequences'.split(' '),
);
/** Types of tools that the model knows and that run here. */
const CLIENT_TOOL = /^(?:bash|text_editor|memory|computer)_/;
const MARK = ',"cache_control":{"type":"ephemeral"}}';
const LONG_MARK = ',"cache_control":{"type":"ephemeral","ttl":"1h"}}';

export function createAnthropicEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const blocksOf = cachePerMessage((message) => toBlocks(message, settings.name).map((block) => toJsonText(block)));
  const hasTools = settings.serverTools.definitions.length > 0;
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'anthropic',
    serverTools: settings.serverTools,
    checkName: createNameCheck(settings.name, settings.serverTools, ({ name }) => [asText(name)]),
    clientToolName: ({ type, name }) => (CLIENT_TOOL.test(asText(type) ?? '') ? asText(name) : undefined),
    encode: ({ description }, { name, schema, isDeferred }) => ({
      name,
      ...(description === '' ? {} : { description }),
      input_schema: schema,
      ...(isDeferred ? { defer_loading: true } : {}),
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const offered = encodeTools(request.tools);
    // A history with calls is refused without tools: placeholders take their place, and may not be called.
    const placeholders = offered === undefined ? placeholderTools(request.messages) : undefined;
    const tools = offered ?? encodeTools(placeholders);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const cache = resolveCache(request, ['ttl', 'points'], warnings);
    const mark = markTtl(cache, warnings) === '1h' ? LONG_MARK : MARK;
    const streams = request.stream !== false;
    const settled = modelSettings(request, options, placeholders !== undefined, warnings);
    const takesSchema = rulesOf(request.model).replySchema;
    const { container: configured, ...head }: Fields = {
      ...settings.serverTools.fields,
      ...settled.fields,
      model: request.model,
      ...(takesSchema ? outputFormat(request, settled.fields['output_config'], warnings) : {}),
      ...(tools === undefined ? {} : { tool_choice: settled.toolChoice }),
      ...(streams ? { stream: true } : {}),
    };
    if (options.seed !== undefined) warnings.push({ message: 'seed is left out: this API does not have it' });
    const { system: told, messages } = alternateRoles(request.messages, blocksOf);
    const system = [...told];
    if (request.responseFormat !== undefined && !takesSchema) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      system.push(text);
      warnings.push(warning);
    }
    const parts = [
      toJsonText(head).slice(0, -1),
      ...(tools === undefined
        ? []
        : [`"tools":[${withMark(tools.texts, cache.marks.has('tools') ? mark : undefined).join(',')}]`]),
      ...(system.length === 0
        ? []
        : [
            `"system":[${withMark(
              system.map((text) => toJsonText({ type: 'text', text })),
              cache.marks.has('system') ? mark : undefined,
            ).join(',')}]`,
          ]),
      `"messages":[${encodeMessages(messages, cache, mark).join(',')}]`,
    ];
    // Last, so that the bytes before it stay those of the request before.
    const container = hasTools ? containerField(configured, request.messages, settings.name) : configured;
    if (container !== undefined) parts.push(`"container":${toJsonText(container)}`);
    return {
      path: `${settings.basePath}/messages${settings.query}`,
      body: `${parts.join(',')}}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      toolDecoder: offered?.toolDecoder,
    };
  };
}

function encodeMessages(messages: readonly EncodedMessage[], cache: ResolvedCache, mark: string): readonly string[] {
  const marked = markedMessages(messages, cache);
  return messages.map(
    ({ blocks, role }, at) =>
      `{"role":"${role}","content":[${withMark(blocks, marked.has(at) ? mark : undefined).join(',')}]}`,
  );
}

/** Everything up to the mark is cached. */
function withMark(blocks: readonly string[], mark: string | undefined): readonly string[] {
  return mark === undefined
    ? blocks
    : blocks.map((text, at) => (at === blocks.length - 1 ? text.slice(0, -1) + mark : text));
}

function outputFormat(
  { responseFormat }: ProviderRequest,
  configured: unknown,
  warnings: ProviderWarning[],
): { output_config?: object } {
  if (responseFormat === undefined) return {};
  const { losses, schema } = toDialect(responseFormat.schema, 'anthropic-output');
  for (const { keyword, message, path } of losses)
    warnings.push({ message: `response format: ${keyword} ${message}`, path });
  return { output_config: { ...asFields(configured), format: { type: 'json_schema', schema } } };
}
