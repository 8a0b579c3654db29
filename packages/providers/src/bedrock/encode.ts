import { toJsonText } from '@kernel/internal';
import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { toPathSegment } from '../config/base-url.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { type Renamings, withWireNames } from '../schema-dialects/property-names.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { asFields, asText } from '../json-fields.ts';
import { claudeRules } from '../anthropic/models.ts';
import { alternateRoles, inOrder, lacksThought } from '../wire/alternating-messages.ts';
import { checkRequest } from '../wire/check-request.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import { TOOL_NAME } from '../wire/names.ts';
import { markedMessages, markTtl, resolveCache, type ResolvedCache } from '../wire/prompt-cache.ts';
import { notesOf, withoutThinking } from '../wire/model-rules.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import { createNameCheck } from '../wire/server-tools/check-names.ts';
import { createToolEncoder, placeholderTools } from '../wire/tool-encoder.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { toBlocks } from './blocks.ts';
import { withUniqueDocuments } from './documents.ts';
import { modelSettings } from './settings.ts';
import { limitsOf } from '../vendor-rules/vendor-limits.ts';

const RESERVED_KEYS = new Set(
  'model modelId messages system tools toolConfig tool_choice toolChoice stream signal'.split(' '),
);
const RESULT = /^\{"toolResult"/;
const THOUGHT = /^\{"reasoningContent"/;
const MARK = '{"cachePoint":{"type":"default"}}';
const LONG_MARK = '{"cachePoint":{"type":"default","ttl":"1h"}}';

export function createBedrockEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const renamings: Renamings = new Map();
  const blocksOf = cachePerMessage((message) =>
    toBlocks(withWireNames(message, renamings), settings.name).map((block) => toJsonText(block)),
  );
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'anthropic',
    vendor: settings.name,
    renamings,
    serverTools: settings.serverTools,
    checkName: createNameCheck(settings.name, settings.serverTools, ({ systemTool, toolSpec }) => [
      asText(asFields(systemTool ?? toolSpec)?.['name']),
    ]),
    encode: ({ description }, { name, schema }) => ({
      toolSpec: { name, description: description === '' ? name : description, inputSchema: { json: schema } },
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const limits = limitsOf(settings.name, request.model);
    const history = withUniqueDocuments(inOrder(request.messages, limits));
    const { system, messages } = alternateRoles(history, blocksOf);
    const placeholders = placeholderTools(request.messages);
    const warnings: ProviderWarning[] = [];
    // This API has no "none": without a call in the history the tools are left out.
    const leavesToolsOut = request.toolChoice === 'none' && placeholders === undefined;
    const offered = leavesToolsOut ? undefined : encodeTools(request.tools, request.model);
    const tools = offered ?? encodeTools(placeholders, request.model);
    if (request.toolChoice === 'none' && tools !== undefined) {
      warnings.push({ message: 'this API cannot enforce toolChoice "none" while the history has calls' });
    }
    const forced = offered === undefined ? { ...request, toolChoice: undefined } : request;
    const isLate = claudeRules(request.model)?.thinking === 'budget' && lacksThought(messages, RESULT, THOUGHT);
    const asked = isLate ? withoutThinking(options, notesOf(request.model, warnings)) : options;
    const { cachePoints, fields, toolChoice } = modelSettings(forced, asked, warnings);
    addOptionWarnings(options, warnings);
    const cache = cacheOf(request, cachePoints, warnings);
    const mark = markTtl(cache, warnings) === '1h' ? LONG_MARK : MARK;
    const markIf = (isMarked: boolean): readonly string[] => (isMarked ? [mark] : []);
    const choice = toolChoice === undefined ? '' : `,"toolChoice":${toJsonText(toolChoice)}`;
    const instructions = system.map((text) => toJsonText({ text }));
    if (request.responseFormat !== undefined) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      instructions.push(toJsonText({ text }));
      warnings.push(warning);
    }
    const marked = markedMessages(messages, cache);
    const encodedMessages = messages.map(
      ({ blocks, role }, at) => `{"role":"${role}","content":[${[...blocks, ...markIf(marked.has(at))].join(',')}]}`,
    );
    const head = Object.keys(fields).length === 0 ? '' : `${toJsonText(fields).slice(1, -1)},`;
    const toolTexts = [...(tools?.texts ?? []), ...markIf(cache.marks.has('tools'))];
    const toolPart = tools === undefined ? '' : `"toolConfig":{"tools":[${toolTexts.join(',')}]${choice}},`;
    const systemTexts = [...instructions, ...markIf(cache.marks.has('system'))];
    const systemPart = instructions.length === 0 ? '' : `"system":[${systemTexts.join(',')}],`;
    const streams = request.stream !== false;
    return {
      path: `${settings.basePath}/model/${toPathSegment(request.model)}/${streams ? 'converse-stream' : 'converse'}${settings.query}`,
      body: `{${head}${toolPart}${systemPart}"messages":[${encodedMessages.join(',')}]}`,
      accept: streams ? 'application/vnd.amazon.eventstream' : 'application/json',
      warnings: [...(offered?.warnings ?? []), ...warnings],
      toolDecoder: offered?.toolDecoder,
    };
  };
}

/** A model without cache points would refuse the whole request for one. */
function cacheOf(request: ProviderRequest, cachePoints: boolean, warnings: ProviderWarning[]): ResolvedCache {
  if (cachePoints) return resolveCache(request, ['ttl', 'points'], warnings);
  return { ...resolveCache(request, [], warnings), marks: new Set() };
}

function addOptionWarnings(options: ResolvedOptions, warnings: ProviderWarning[]): void {
  if (options.seed !== undefined) {
    warnings.push({ message: "seed is left out: set the model's own field in additionalModelRequestFields" });
  }
  if (options.parallelToolCalls === false) {
    warnings.push({ message: 'parallelToolCalls: false is left out: this API does not have it' });
  }
}
