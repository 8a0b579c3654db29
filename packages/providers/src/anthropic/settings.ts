import type { JsonObject, JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import type { ResolvedOptions } from '../config/model-options.ts';
import { asFields } from '../json-fields.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { type ClaudeRules, rulesOf } from './models.ts';

/** The API requires a limit. */
const DEFAULT_MAX_TOKENS = 8192;
/** The thinking tokens by effort. The API counts them within the reply's limit, so they are added to that. */
const THINKING_TOKENS: ReadonlyMap<JsonValue | undefined, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 32_768],
  ['max', 32_768],
]);
/** The efforts that a budget of tokens can express. */
const BUDGET_EFFORTS = new Set<JsonValue | undefined>(['minimal', 'low', 'medium', 'high']);

/** The settings of a request that depend on what its model accepts. @internal */
export interface ModelSettings {
  /** Fields of the body, those of the vendor's own included. */
  readonly fields: Record<string, unknown>;
  /** The `tool_choice`; undefined leaves it out. */
  readonly toolChoice: object | undefined;
}

/**
 * Encodes limits, sampling, thinking and tool choice as the model accepts them. What it would refuse is left out, with a warning that names
 * it. `isClosing`: no tool may be called. @internal
 */
export function modelSettings(
  request: ProviderRequest,
  options: ResolvedOptions,
  isClosing: boolean,
  warnings: ProviderWarning[],
): ModelSettings {
  const { model } = request;
  const rules = rulesOf(model);
  const leaveOut = (what: string, why: string): void => {
    warnings.push({ message: `${what} is left out: ${why}` });
  };
  const choice = isClosing ? 'none' : request.toolChoice;
  const isForced = choice === 'required' || typeof choice === 'object';
  const { output_config: configured, ...extra } = options.extra;
  const asksItself = extra['thinking'] !== undefined;
  const thinking = asksItself ? {} : thinkingOf(options.reasoningEffort, rules, model, leaveOut);
  // A caller that forces a call needs it; how much the model thinks is a wish.
  const dropsThinking = isForced && 'thinking' in thinking;
  if (dropsThinking) leaveOut('reasoningEffort', 'this API refuses thinking together with a forced tool choice');
  const { effort, thinking: mode } = dropsThinking ? {} : thinking;
  const thinks = asksItself ? asFields(extra['thinking'])?.['type'] !== 'disabled' : mode !== undefined;
  const refusesChoice = isForced && (rules.alwaysThinks || (asksItself && thinks));
  if (refusesChoice) leaveOut('toolChoice', `"${model}" may think, and then a forced tool choice is refused`);
  const limit = typeof options.maxTokens === 'number' ? options.maxTokens : DEFAULT_MAX_TOKENS;
  return {
    fields: {
      ...samplingOf(extra, options, rules, thinks, model, leaveOut),
      max_tokens: limit + (mode === undefined ? 0 : (THINKING_TOKENS.get(options.reasoningEffort) ?? 0)),
      ...(mode === undefined ? {} : { thinking: mode }),
      stop_sequences: options.stop === undefined ? undefined : [options.stop].flat(),
      ...(configured === undefined && effort === undefined
        ? {}
        : { output_config: { ...asFields(configured), ...(effort === undefined ? {} : { effort }) } }),
    },
    toolChoice: toolChoice(refusesChoice ? 'auto' : choice, options),
  };
}

type LeaveOut = (what: string, why: string) => void;

/** The fields that ask for an effort: none for no effort, and for one that the model does not take. */
function thinkingOf(
  effort: JsonValue | undefined,
  { alwaysThinks, efforts, thinking }: ClaudeRules,
  model: string,
  leaveOut: LeaveOut,
): { readonly thinking?: object; readonly effort?: JsonValue } {
  if (effort === undefined) return {};
  const what = `reasoningEffort ${JSON.stringify(effort)}`;
  if (effort === 'none') {
    if (alwaysThinks) leaveOut(what, `"${model}" decides itself whether it thinks`);
    return {};
  }
  if (thinking === 'budget' && BUDGET_EFFORTS.has(effort))
    return { thinking: { type: 'enabled', budget_tokens: THINKING_TOKENS.get(effort) } };
  const level = effort === 'minimal' ? 'low' : effort;
  if (thinking === 'adaptive' && typeof level === 'string' && efforts.includes(level))
    return { thinking: { type: 'adaptive' }, effort: level };
  leaveOut(what, `"${model}" does not take it`);
  return {};
}

/** The vendor's own fields and the sampling ones, without those that the model refuses. */
function samplingOf(
  extra: JsonObject,
  options: ResolvedOptions,
  { sampling }: ClaudeRules,
  thinks: boolean,
  model: string,
  leaveOut: LeaveOut,
): Record<string, JsonValue | undefined> {
  const fields = { ...extra, temperature: options.temperature, top_p: options.topP };
  if (sampling && !thinks) return fields;
  const why = sampling ? 'this API refuses it while the model thinks' : `"${model}" does not take it`;
  const kept = new Map<string, JsonValue | undefined>(Object.entries(fields));
  for (const [key, name] of [
    ['temperature', 'temperature'],
    ['top_p', 'topP'],
    ['top_k', 'top_k'],
  ] as const) {
    const value = kept.get(key);
    kept.delete(key);
    const isDefault = key !== 'top_k' && value === 1;
    if (value !== undefined && !isDefault) leaveOut(name, why);
  }
  return Object.fromEntries(kept);
}

function toolChoice(choice: ProviderRequest['toolChoice'], { parallelToolCalls }: ResolvedOptions): object | undefined {
  if (choice === 'none') return { type: 'none' };
  const parallel = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (typeof choice === 'object') return { type: 'tool', name: toWireName(choice.name, TOOL_NAME), ...parallel };
  if (choice === 'required') return { type: 'any', ...parallel };
  return choice === undefined && parallelToolCalls !== false ? undefined : { type: 'auto', ...parallel };
}
