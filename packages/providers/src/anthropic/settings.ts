import type { JsonObject, JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import type { ResolvedOptions } from '../config/model-options.ts';
import { asFields } from '../json-fields.ts';
import { type Notes, notesOf } from '../wire/model-rules.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { type ClaudeRules, rulesOf } from './models.ts';
import { limitWith, ONE_OF_TWO, thinkingOf } from './thinking.ts';

/** The API requires a limit. */
const DEFAULT_MAX_TOKENS = 8192;

export interface ModelSettings {
  readonly fields: Record<string, unknown>;
  readonly toolChoice: object | undefined;
}

/** What the model would refuse is left out, with a warning that names it. `isClosing`: no tool may be called. */
export function modelSettings(
  request: ProviderRequest,
  options: ResolvedOptions,
  isClosing: boolean,
  warnings: ProviderWarning[],
): ModelSettings {
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
