import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { historyTools } from '../wire/placeholder-tools.ts';
import { asFields } from '../json-fields.ts';
import { type ModelOptions, readOptions } from '../config/model-options.ts';
import { schemaInstruction } from '../wire/response-format.ts';
import type { WireSettings } from '../wire/media.ts';
import { onceEach, toTurns } from '../wire/alternating-messages.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { PLAIN_NAMES, toWireName } from '../wire/names.ts';
import { createToolWriter } from '../wire/tool-encoder.ts';
import { toBlocks } from './blocks.ts';

const TAKEN = new Set('model modelId messages system tools toolConfig tool_choice toolChoice stream signal'.split(' '));
/** Models that take cache marks; others refuse the whole request for one. */
const CACHING_MODELS = /anthropic\.claude-(?:3-7|(?:opus|sonnet|haiku)-[4-9])/;
const MARK = '{"cachePoint":{"type":"default"}}';

/** Creates the encoder of one provider: each frozen message is written once, the tools once per list. @internal */
export function createBedrockEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const blocksOf = onceEach((message) => toBlocks(message, settings.name).map((block) => JSON.stringify(block)));
  const toolsOf = createToolWriter({
    names: PLAIN_NAMES,
    dialect: 'anthropic',
    write: ({ description }, { name, schema }) => ({
      toolSpec: { name, description: description === '' ? name : description, inputSchema: { json: schema } },
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = readOptions(settings.options, request.options, TAKEN);
    const { system, turns } = toTurns(request.messages, blocksOf);
    const past = historyTools(request.messages);
    const warnings: ProviderWarning[] = [];
    // This wire has no "none": without a call in the history the tools stay at home.
    const closed = request.toolChoice === 'none' && past === undefined;
    const offered = closed ? undefined : toolsOf(request.tools);
    const tools = offered ?? toolsOf(past);
    if (request.toolChoice === 'none' && tools !== undefined) {
      warnings.push({ message: 'toolChoice "none" cannot be enforced on this wire while the history has calls' });
    }
    warn(options, warnings);
    const caches = request.cache !== 'off' && CACHING_MODELS.test(request.model);
    const mark = caches ? [MARK] : [];
    const inferenceConfig = configOf(options);
    const head = {
      ...options.rest,
      ...(Object.values(inferenceConfig).some((value) => value !== undefined) ? { inferenceConfig } : {}),
    };
    const instructions = system.map((text) => JSON.stringify({ text }));
    if (request.responseFormat !== undefined) {
      const { text, warning } = schemaInstruction(request.responseFormat);
      instructions.push(JSON.stringify({ text }));
      warnings.push(warning);
    }
    const messages = turns.map(({ blocks, role }, at) => {
      const last = at === turns.length - 1 && role === 'user';
      return `{"role":"${role}","content":[${[...blocks, ...(last ? mark : [])].join(',')}]}`;
    });
    const parts = [
      ...(Object.keys(head).length === 0 ? [] : [JSON.stringify(head).slice(1, -1)]),
      ...(tools === undefined
        ? []
        : [
            `"toolConfig":{"tools":[${[...tools.texts, ...mark].join(',')}]${choiceOf(request, offered !== undefined)}}`,
          ]),
      ...(instructions.length === 0 ? [] : [`"system":[${[...instructions, ...mark].join(',')}]`]),
      `"messages":[${messages.join(',')}]`,
    ];
    const streams = request.stream !== false;
    return {
      path: `${settings.root}/model/${encodeURIComponent(request.model)}/${streams ? 'converse-stream' : 'converse'}${settings.search}`,
      body: `{${parts.join(',')}}`,
      accept: streams ? 'application/vnd.amazon.eventstream' : 'application/json',
      warnings: [...(offered?.warnings ?? []), ...warnings],
      codec: offered?.codec,
    };
  };
}

function configOf(options: ModelOptions): Record<string, unknown> {
  return {
    ...asFields(options.rest['inferenceConfig']),
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop === undefined ? undefined : [options.stop].flat(),
  };
}

function choiceOf({ toolChoice }: ProviderRequest, isOffered: boolean): string {
  if (!isOffered || toolChoice === undefined || toolChoice === 'none') return '';
  const choice =
    typeof toolChoice === 'object'
      ? { tool: { name: toWireName(toolChoice.name, PLAIN_NAMES) } }
      : toolChoice === 'required'
        ? { any: {} }
        : { auto: {} };
  return `,"toolChoice":${JSON.stringify(choice)}`;
}

function warn(options: ModelOptions, warnings: ProviderWarning[]): void {
  for (const name of ['seed', 'reasoningEffort'] as const) {
    if (options[name] !== undefined) {
      warnings.push({ message: `${name} is left out: give the model's own field in additionalModelRequestFields` });
    }
  }
  if (options.parallelToolCalls === false) {
    warnings.push({ message: 'parallelToolCalls: false is left out: this wire has none' });
  }
}
