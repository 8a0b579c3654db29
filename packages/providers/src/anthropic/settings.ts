import type { JsonObject, JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import type { ResolvedOptions } from '../config/model-options.ts';
import { asFields } from '../json-fields.ts';
import { type Notes, notesOf, effortFor } from '../wire/model-rules.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { type ClaudeRules, rulesOf } from './models.ts';

/** The API requires a limit. */
const DEFAULT_MAX_TOKENS = 8192;

/** What the model would refuse is left out, with a warning that names it. `isClosing`: no tool may be called. */
export function modelSettings(
  request: ProviderRequest,
  options: ResolvedOptions,
  isClosing: boolean,
  warnings: ProviderWarning[],
) {
  const rules = rulesOf(request.model);
  const notes = notesOf(request.model, warnings);
  const choice = isClosing ? 'none' : request.toolChoice;
  const isForced = choice === 'required' || typeof choice === 'object';
  const { output_config: configured, ...extra } = options.extra;
  const thinking = thinkingOf(options.reasoningEffort, isForced, rules, notes, extra['thinking']);
  const { effort, mode, thinks, tokens } = thinking;
  const refusesChoice = isForced && thinking.refusesForcedChoice;
  if (refusesChoice)
    notes.leftOut('toolChoice', `"${request.model}" may think, and then a forced tool choice is refused`);
  return {
    fields: {
      ...samplingOf(extra, options, rules, thinks, notes),
      max_tokens: limitWith(tokens, options.maxTokens, DEFAULT_MAX_TOKENS, notes),
      ...(mode === undefined ? {} : { thinking: mode }),
      stop_sequences: options.stop === undefined ? undefined : [options.stop].flat(),
      ...(configured === undefined && effort === undefined
        ? {}
        : { output_config: { ...asFields(configured), ...(effort === undefined ? {} : { effort }) } }),
    },
    toolChoice: toolChoice(refusesChoice ? 'auto' : choice, options),
  };
}

function samplingOf(
  extra: JsonObject,
  options: ResolvedOptions,
  { sampling }: ClaudeRules,
  thinks: boolean,
  notes: Notes,
): Record<string, JsonValue | undefined> {
  const fields = { ...extra, temperature: options.temperature, top_p: options.topP };
  if (sampling !== 'none' && !thinks) {
    const isOneTooMany = sampling === 'one' && options.temperature !== undefined && options.topP !== undefined;
    if (isOneTooMany) notes.leftOut('topP', ONE_OF_TWO);
    return isOneTooMany ? { ...fields, top_p: undefined } : fields;
  }
  const why = sampling === 'none' ? undefined : 'this API refuses it while the model thinks';
  const kept = new Map<string, JsonValue | undefined>(Object.entries(fields));
  for (const [key, name] of [
    ['temperature', 'temperature'],
    ['top_p', 'topP'],
    ['top_k', 'top_k'],
  ] as const) {
    const value = kept.get(key);
    kept.delete(key);
    const isDefault = key !== 'top_k' && value === 1;
    if (value !== undefined && !isDefault) notes.leftOut(name, why);
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

export const ONE_OF_TWO = 'the model takes temperature or topP, not both';

/** The API counts them within the reply's limit, so they are added to that. */
const THINKING_TOKENS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 32_768],
  ['max', 32_768],
]);

const NOT_WITH_CHOICE = 'this API refuses thinking together with a forced tool choice';

export function limitWith(tokens: number, asked: JsonValue | undefined, defaultLimit: number, notes: Notes): number {
  const limit = (typeof asked === 'number' ? asked : defaultLimit) + tokens;
  if (tokens > 0 && typeof asked === 'number')
    notes.sentAs(`maxTokens ${asked}`, `${limit}`, `${tokens} of them are for thinking, which counts within the limit`);
  return limit;
}

export interface Thinking {
  readonly mode?: JsonObject | undefined;
  readonly effort?: string | undefined;
  /** The tokens that the reply's limit needs in addition. */
  readonly tokens: number;
  readonly thinks: boolean;
  readonly refusesForcedChoice: boolean;
}

/** What a caller forces is a need, how much a model thinks a wish. `own`: the field `thinking` that the caller sets. */
export function thinkingOf(
  asked: JsonValue | undefined,
  isForced: boolean,
  rules: ClaudeRules,
  notes: Notes,
  own?: JsonValue,
): Thinking {
  if (own !== undefined) {
    const thinks = !(typeof own === 'object' && own !== null && 'type' in own && own['type'] === 'disabled');
    return { tokens: 0, thinks, refusesForcedChoice: thinks };
  }
  const effort = effortFor(asked, rules.efforts, notes);
  const always = rules.thinksUnasked === 'always';
  const asks = effort !== undefined && effort !== 'none';
  if (isForced && asks && !always) {
    notes.leftOut('reasoningEffort', NOT_WITH_CHOICE);
  }
  if (asks && (always || !isForced)) {
    const tokens = THINKING_TOKENS.get(effort) ?? 0;
    const isBudget = rules.thinking === 'budget';
    const mode: JsonObject = isBudget ? { type: 'enabled', budget_tokens: tokens } : { type: 'adaptive' };
    return { mode, tokens, thinks: true, refusesForcedChoice: true, ...(isBudget ? {} : { effort }) };
  }
  const turnsOff = rules.thinksUnasked === 'unless-disabled' && (isForced || effort === 'none');
  if (turnsOff && !asks && effort !== 'none') notes.leftOut('thinking', NOT_WITH_CHOICE);
  const thinks = rules.thinksUnasked !== 'never' && !turnsOff;
  return { tokens: 0, thinks, refusesForcedChoice: thinks, ...(turnsOff ? { mode: { type: 'disabled' } } : {}) };
}
