import type { JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { checkRequest } from '../wire/check-request.ts';
import { asFields } from '../json-fields.ts';
import { historyTools } from '../wire/placeholder-tools.ts';
import { type ModelOptions, readOptions } from '../config/model-options.ts';
import { toDialect } from '../dialects/to-dialect.ts';
import type { WireSettings } from '../wire/media.ts';
import { onceEach, toTurns, type WrittenTurn } from '../wire/alternating-messages.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { PLAIN_NAMES, toWireName } from '../wire/names.ts';
import { createToolWriter } from '../wire/tool-encoder.ts';
import { toBlocks } from './blocks.ts';

const TAKEN = new Set('model messages system tools tool_choice toolChoice stream signal stop_sequences'.split(' '));
/** The wire insists on a limit. */
const USUAL_MAX_TOKENS = 8192;
/** How many tokens a model may think, by effort. The wire counts them within the reply's limit, so they are added to it. */
const THINKING_TOKENS: ReadonlyMap<JsonValue | undefined, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
]);
const MARK = ',"cache_control":{"type":"ephemeral"}}';

/** Creates the encoder of one provider: each frozen message is written once, the tools once per list. @internal */
export function createAnthropicEncoder(settings: WireSettings): (request: ProviderRequest) => EncodedRequest {
  const blocksOf = onceEach((message) => toBlocks(message, settings.name));
  const toolsOf = createToolWriter({
    names: PLAIN_NAMES,
    dialect: 'anthropic',
    write: ({ description }, { name, schema }) => ({
      name,
      ...(description === '' ? {} : { description }),
      input_schema: schema,
    }),
  });

  return (request) => {
    checkRequest(request);
    const options = readOptions(settings.options, request.options, TAKEN);
    const offered = toolsOf(request.tools);
    // A history with calls is refused without tools: those of the history stand in, and may not be called.
    const past = offered === undefined ? historyTools(request.messages) : undefined;
    const tools = offered ?? toolsOf(past);
    const caches = request.cache !== 'off';
    const warnings: ProviderWarning[] = [...(tools?.warnings ?? [])];
    const streams = request.stream !== false;
    const head = {
      ...options.rest,
      model: request.model,
      ...limits(options),
      ...outputFormat(request, options, warnings),
      ...(tools === undefined ? {} : { tool_choice: toolChoice(request, options, past !== undefined) }),
      ...(streams ? { stream: true } : {}),
    };
    if (options.seed !== undefined) warnings.push({ message: 'seed is left out: this wire has none' });
    const { system, turns } = toTurns(request.messages, blocksOf);
    const parts = [
      JSON.stringify(head).slice(0, -1),
      ...(tools === undefined ? [] : [`"tools":[${marked(tools.texts, caches).join(',')}]`]),
      ...(system.length === 0
        ? []
        : [
            `"system":[${marked(
              system.map((text) => JSON.stringify({ type: 'text', text })),
              caches,
            ).join(',')}]`,
          ]),
      `"messages":[${writeTurns(turns, caches).join(',')}]`,
    ];
    return {
      path: `${settings.root}/messages${settings.search}`,
      body: `${parts.join(',')}}`,
      accept: streams ? 'text/event-stream' : 'application/json',
      warnings,
      codec: offered?.codec,
    };
  };
}

function writeTurns(turns: readonly WrittenTurn[], caches: boolean): readonly string[] {
  return turns.map(({ blocks, role }, at) => {
    const last = at === turns.length - 1 && role === 'user';
    return `{"role":"${role}","content":[${marked(blocks, caches && last).join(',')}]}`;
  });
}

/** Marks the last of these blocks: everything up to it is cached. */
function marked(blocks: readonly string[], caches: boolean): readonly string[] {
  return caches ? blocks.map((text, at) => (at === blocks.length - 1 ? text.slice(0, -1) + MARK : text)) : blocks;
}

function limits(options: ModelOptions): Record<string, JsonValue | undefined> {
  const thinking = THINKING_TOKENS.get(options.reasoningEffort);
  const limit = typeof options.maxTokens === 'number' ? options.maxTokens : USUAL_MAX_TOKENS;
  return {
    max_tokens: limit + (thinking ?? 0),
    ...(thinking === undefined ? {} : { thinking: { type: 'enabled', budget_tokens: thinking } }),
    temperature: options.temperature,
    top_p: options.topP,
    stop_sequences: options.stop === undefined ? undefined : [options.stop].flat(),
  };
}

function toolChoice(request: ProviderRequest, options: ModelOptions, closing: boolean): object | undefined {
  const choice = closing ? 'none' : request.toolChoice;
  if (choice === 'none') return { type: 'none' };
  const serial = options.parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (typeof choice === 'object') return { type: 'tool', name: toWireName(choice.name, PLAIN_NAMES), ...serial };
  if (choice === 'required') return { type: 'any', ...serial };
  return choice === undefined && options.parallelToolCalls !== false ? undefined : { type: 'auto', ...serial };
}

function outputFormat(
  { responseFormat }: ProviderRequest,
  { rest }: ModelOptions,
  warnings: ProviderWarning[],
): { output_config?: object } {
  if (responseFormat === undefined) return {};
  const { losses, schema } = toDialect(responseFormat.schema, 'anthropic-output');
  for (const { keyword, message, path } of losses)
    warnings.push({ message: `response format: ${keyword} ${message}`, path });
  return { output_config: { ...asFields(rest['output_config']), format: { type: 'json_schema', schema } } };
}
