import { toJsonText } from '@kernel/internal';
import type { CachePoint, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { asFields, asText, type Fields } from '../json-fields.ts';
import { resolveOptions } from '../config/model-options.ts';
import { toDialect } from '../schema-dialects/to-dialect.ts';
import { type Renamings, withWireNames } from '../schema-dialects/property-names.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles, type EncodedMessage, inOrder, lacksThought } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { markedMessages, markTtl, type ResolvedCache, resolveCache } from '../wire/prompt-cache.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME } from '../wire/names.ts';
import { notesOf, withoutThinking } from '../wire/model-rules.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import { createNameCheck } from '../wire/server-tools/check-names.ts';
import { createToolEncoder, placeholderTools } from '../wire/tool-encoder.ts';
import { toBlocks, containerField } from './blocks.ts';
import { rulesOf } from './models.ts';
import { modelSettings } from './settings.ts';
import { limitsOf } from '../vendor-rules/vendor-limits.ts';

const RESERVED_KEYS = new Set(
  'model messages system tools tool_choice toolChoice stream signal stop_sequences'.split(' '),
);
/** Types of tools that the model knows and that run here. */
const CLIENT_TOOL = /^(?:bash|text_editor|memory|computer)_/;
const RESULT = /^\{"type":"tool_result"/;
const THOUGHT = /^\{"type":"(?:redacted_)?thinking"/;
const MARK = ',"cache_control":{"type":"ephemeral"}}';
const LONG_MARK = ',"cache_control":{"type":"ephemeral","ttl":"1h"}}';

export function createAnthropicEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const renamings: Renamings = new Map();
  const encoderOf = (unsigned: boolean) =>
    cachePerMessage((message) =>
      toBlocks(withWireNames(message, renamings), settings.name, unsigned).map((block) => toJsonText(block)),
    );
  const signedOnly = encoderOf(false);
  const withUnsigned = encoderOf(true);
  const hasTools = settings.serverTools.definitions.length > 0;
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'anthropic',
    vendor: settings.name,
    renamings,
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
    const offered = encodeTools(request.tools, request.model);
    // A history with calls is refused without tools: placeholders take their place, and may not be called.
    const placeholders = offered === undefined ? placeholderTools(request.messages) : undefined;
    const tools = offered ?? encodeTools(placeholders, request.model);
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const cache = resolveCache(request, ['ttl', 'points'], warnings);
    const mark = markTtl(cache, warnings) === '1h' ? LONG_MARK : MARK;
    const streams = request.stream !== false;
    const limits = limitsOf(settings.name, request.model);
    const blocksOf = limits.unsignedThinking === undefined ? signedOnly : withUnsigned;
    const { system: told, messages } = alternateRoles(inOrder(request.messages, limits), blocksOf);
    const isLate = rulesOf(request.model).thinking === 'budget' && lacksThought(messages, RESULT, THOUGHT);
    const asked = isLate ? withoutThinking(options, notesOf(request.model, warnings)) : options;
    const settled = modelSettings(request, asked, placeholders !== undefined, warnings);
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
    const system = [...told];
    if (request.responseFormat !== undefined && !takesSchema) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      system.push(text);
      warnings.push(warning);
    }
    const markOf = (point: CachePoint): string | undefined => (cache.marks.has(point) ? mark : undefined);
    const systemTexts = system.map((text) => toJsonText({ type: 'text', text }));
    const toolPart = tools === undefined ? '' : `"tools":[${withMark(tools.texts, markOf('tools')).join(',')}],`;
    const systemPart = system.length === 0 ? '' : `"system":[${withMark(systemTexts, markOf('system')).join(',')}],`;
    const messagePart = `"messages":[${encodeMessages(messages, cache, mark).join(',')}]`;
    // Last, so that the bytes before it stay those of the request before.
    const container = hasTools ? containerField(configured, request.messages, settings.name) : configured;
    const containerPart = container === undefined ? '' : `,"container":${toJsonText(container)}`;
    return {
      path: `${settings.basePath}/messages${settings.query}`,
      body: `${toJsonText(head).slice(0, -1)},${toolPart}${systemPart}${messagePart}${containerPart}}`,
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
