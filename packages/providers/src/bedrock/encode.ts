import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { placeholderTools } from '../wire/placeholder-tools.ts';
import { asFields } from '../json-fields.ts';
import { type ResolvedOptions, resolveOptions } from '../config/model-options.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { alternateRoles } from '../wire/alternating-messages.ts';
import { cachePerMessage } from '../wire/message-cache.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { createToolEncoder } from '../wire/tool-encoder.ts';
import { toBlocks } from './blocks.ts';

const RESERVED_KEYS = new Set(
  'model modelId messages system tools toolConfig tool_choice toolChoice stream signal'.split(' '),
);
/** Models that accept cache points; others refuse the whole request. */
const CACHING_MODELS = /anthropic\.claude-(?:3-7|(?:opus|sonnet|haiku)-[4-9])/;
const CACHE_POINT = '{"cachePoint":{"type":"default"}}';

/** Creates the encoder of one provider. Each frozen message is encoded once, the tools once per list. @internal */
export function createBedrockEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const blocksOf = cachePerMessage((message) => toBlocks(message, settings.name).map((block) => JSON.stringify(block)));
  const encodeTools = createToolEncoder({
    names: TOOL_NAME,
    dialect: 'anthropic',
    encode: ({ description }, { name, schema }) => ({
      toolSpec: { name, description: description === '' ? name : description, inputSchema: { json: schema } },
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = resolveOptions(settings.options, request.options, RESERVED_KEYS);
    const { system, messages } = alternateRoles(request.messages, blocksOf);
    const placeholders = placeholderTools(request.messages);
    const warnings: ProviderWarning[] = [];
    // This API has no "none": without a call in the history the tools are left out.
    const leavesToolsOut = request.toolChoice === 'none' && placeholders === undefined;
    const offered = leavesToolsOut ? undefined : encodeTools(request.tools);
    const tools = offered ?? encodeTools(placeholders);
    if (request.toolChoice === 'none' && tools !== undefined) {
      warnings.push({ message: 'this API cannot enforce toolChoice "none" while the history has calls' });
    }
    addOptionWarnings(options, warnings);
    const caches = request.cache !== 'off' && CACHING_MODELS.test(request.model);
    const cachePoint = caches ? [CACHE_POINT] : [];
    const inferenceConfig = inferenceConfigOf(options);
    const head = {
      ...options.extra,
      ...(Object.values(inferenceConfig).some((value) => value !== undefined) ? { inferenceConfig } : {}),
    };
    const instructions = system.map((text) => JSON.stringify({ text }));
    if (request.responseFormat !== undefined) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      instructions.push(JSON.stringify({ text }));
      warnings.push(warning);
    }
    const encodedMessages = messages.map(({ blocks, role }, at) => {
      const isLastUser = at === messages.length - 1 && role === 'user';
      return `{"role":"${role}","content":[${[...blocks, ...(isLastUser ? cachePoint : [])].join(',')}]}`;
    });
    const parts = [
      ...(Object.keys(head).length === 0 ? [] : [JSON.stringify(head).slice(1, -1)]),
      ...(tools === undefined
        ? []
        : [
            `"toolConfig":{"tools":[${[...tools.texts, ...cachePoint].join(',')}]${toolChoiceText(request, offered !== undefined)}}`,
          ]),
      ...(instructions.length === 0 ? [] : [`"system":[${[...instructions, ...cachePoint].join(',')}]`]),
      `"messages":[${encodedMessages.join(',')}]`,
    ];
    const streams = request.stream !== false;
    return {
      path: `${settings.basePath}/model/${encodeURIComponent(request.model)}/${streams ? 'converse-stream' : 'converse'}${settings.query}`,
      body: `{${parts.join(',')}}`,
      accept: streams ? 'application/vnd.amazon.eventstream' : 'application/json',
      warnings: [...(offered?.warnings ?? []), ...warnings],
      toolDecoder: offered?.toolDecoder,
    };
  };
}

function inferenceConfigOf(options: ResolvedOptions): Record<string, unknown> {
  return {
    ...asFields(options.extra['inferenceConfig']),
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop === undefined ? undefined : [options.stop].flat(),
  };
}

function toolChoiceText({ toolChoice }: ProviderRequest, isOffered: boolean): string {
  if (!isOffered || toolChoice === undefined || toolChoice === 'none') return '';
  const choice =
    typeof toolChoice === 'object'
      ? { tool: { name: toWireName(toolChoice.name, TOOL_NAME) } }
      : toolChoice === 'required'
        ? { any: {} }
        : { auto: {} };
  return `,"toolChoice":${JSON.stringify(choice)}`;
}

function addOptionWarnings(options: ResolvedOptions, warnings: ProviderWarning[]): void {
  for (const name of ['seed', 'reasoningEffort'] as const) {
    if (options[name] !== undefined) {
      warnings.push({ message: `${name} is left out: set the model's own field in additionalModelRequestFields` });
    }
  }
  if (options.parallelToolCalls === false) {
    warnings.push({ message: 'parallelToolCalls: false is left out: this API does not have it' });
  }
}
