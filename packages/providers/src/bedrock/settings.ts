import type { JsonObject, JsonValue, ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { limitWith, ONE_OF_TWO, thinkingOf } from '../anthropic/settings.ts';
import type { ResolvedOptions } from '../config/model-options.ts';
import { asJsonFields, definedFields } from '../json-fields.ts';
import { effortFor, type Notes, notesOf, type Effort, type Families, rulesIn } from '../wire/model-rules.ts';
import { TOOL_NAME, toWireName } from '../wire/names.ts';
import { type ClaudeRules, claudeRules } from '../anthropic/models.ts';
import { gptRules } from '../openai/models.ts';

/** A reply of Claude has this limit if a request says none, and thinking tokens count within it. */
const DEFAULT_MAX_TOKENS = 4096;

export function modelSettings(request: ProviderRequest, options: ResolvedOptions, warnings: ProviderWarning[]) {
  const { model, toolChoice: choice } = request;
  const rules = bedrockRules(model);
  const notes = notesOf(model, warnings);
  const { additionalModelRequestFields, inferenceConfig: configured, ...extra } = options.extra;
  const own = asJsonFields(additionalModelRequestFields);
  const isForced = choice === 'required' || typeof choice === 'object';
  const reasoning = reasoningOf(options.reasoningEffort, isForced, rules, own, notes);
  const additional = { ...own, ...reasoning.fields };
  const inferenceConfig = {
    ...asJsonFields(configured),
    ...definedFields({
      maxTokens: options.maxTokens,
      temperature: options.temperature,
      topP: options.topP,
      stopSequences: options.stop === undefined ? undefined : [options.stop].flat(),
    }),
  };
  const accepted = acceptedConfig(inferenceConfig, rules, reasoning, notes);
  return {
    fields: {
      ...extra,
      ...(Object.keys(additional).length === 0 ? {} : { additionalModelRequestFields: additional }),
      ...(Object.keys(accepted).length === 0 ? {} : { inferenceConfig: accepted }),
    },
    toolChoice: toolChoice(choice, rules, reasoning.refusesForcedChoice, notes),
    cachePoints: rules.cachePoints,
  };
}

interface Reasoning {
  readonly fields: JsonObject;
  /** The tokens that the limit needs in addition. */
  readonly tokens: number;
  /** Sampling is refused while the model reasons. */
  readonly reasons: boolean;
  readonly refusesForcedChoice: boolean;
  /** Whether neither a limit nor sampling is accepted. */
  readonly isUnlimited: boolean;
}

const NO_REASONING: Reasoning = {
  fields: {},
  tokens: 0,
  reasons: false,
  refusesForcedChoice: false,
  isUnlimited: false,
};

function reasoningOf(
  asked: JsonValue | undefined,
  isForced: boolean,
  { claude, efforts, reasoning, unlimitedEffort }: BedrockRules,
  own: JsonObject,
  notes: Notes,
): Reasoning {
  if (claude !== undefined) {
    const { effort, mode, refusesForcedChoice, thinks, tokens } = thinkingOf(
      asked,
      isForced,
      claude,
      notes,
      own['thinking'],
    );
    const fields = {
      ...(mode === undefined ? {} : { thinking: mode }),
      ...(effort === undefined ? {} : { output_config: { ...asJsonFields(own['output_config']), effort } }),
    };
    return { ...NO_REASONING, fields, tokens, reasons: thinks, refusesForcedChoice };
  }
  if (reasoning === 'none') {
    if (asked !== undefined && asked !== 'none')
      notes.leftOut('reasoningEffort', "set the model's own field in additionalModelRequestFields");
    return NO_REASONING;
  }
  const effort = effortFor(asked, efforts, notes);
  if (effort === undefined) return NO_REASONING;
  const isOff = effort === 'none';
  if (reasoning === 'gpt') return { ...NO_REASONING, fields: { reasoning_effort: effort }, reasons: !isOff };
  const reasoningConfig: JsonObject = isOff ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: effort };
  return { ...NO_REASONING, fields: { reasoningConfig }, isUnlimited: effort === unlimitedEffort };
}

function acceptedConfig(
  config: Readonly<Record<string, JsonValue>>,
  { claude, sampling }: BedrockRules,
  { isUnlimited, reasons, tokens }: Reasoning,
  notes: Notes,
): JsonObject {
  const kept = new Map(Object.entries(config));
  const drop = (name: string, why?: string): void => {
    const value = kept.get(name);
    const isDefault = name !== 'maxTokens' && value === 1;
    if (kept.delete(name) && !isDefault) notes.leftOut(name, why);
  };
  const thinks = claude !== undefined && reasons;
  if (isUnlimited) {
    for (const name of ['maxTokens', 'temperature', 'topP']) drop(name, 'the model refuses it at this effort');
  } else if (sampling === 'none' || thinks) {
    const why = sampling === 'none' ? undefined : 'the model refuses it while it thinks';
    for (const name of ['temperature', 'topP']) drop(name, why);
  } else if (sampling === 'one' && kept.has('temperature')) drop('topP', ONE_OF_TWO);
  if (tokens > 0) kept.set('maxTokens', limitWith(tokens, kept.get('maxTokens'), DEFAULT_MAX_TOKENS, notes));
  return Object.fromEntries(kept);
}

/** The Converse API has no `none`. */
function toolChoice(
  choice: ProviderRequest['toolChoice'],
  { toolChoice: accepted }: BedrockRules,
  isRefused: boolean,
  notes: Notes,
): object | undefined {
  if (choice === undefined || choice === 'none') return undefined;
  if (choice === 'auto') return { auto: {} };
  const isNamed = typeof choice === 'object';
  const isUnknown = accepted === 'auto' || (accepted === 'unnamed' && isNamed);
  if (isUnknown || isRefused) {
    notes.leftOut(
      'toolChoice',
      isUnknown ? undefined : 'the model may think, and then a forced tool choice is refused',
    );
    return { auto: {} };
  }
  return isNamed ? { tool: { name: toWireName(choice.name, TOOL_NAME) } } : { any: {} };
}

export type BedrockReasoning = 'claude' | 'nova' | 'gpt' | 'none';

export interface BedrockRules {
  readonly reasoning: BedrockReasoning;
  /** Lowest first. */
  readonly efforts: readonly Effort[];
  /** `unnamed` takes every choice except a named tool. */
  readonly toolChoice: 'all' | 'unnamed' | 'auto';
  readonly sampling: ClaudeRules['sampling'];
  /** The effort beside which no limit and no sampling is accepted. */
  readonly unlimitedEffort?: Effort;
  readonly cachePoints: boolean;
  readonly claude?: ClaudeRules;
}

const PLAIN: BedrockRules = { reasoning: 'none', efforts: [], toolChoice: 'all', sampling: 'all', cachePoints: false };

// Families that are not Claude's or OpenAI's, as of November 2026. Sources: AWS's API reference (`ToolChoice`), "Extended thinking" in the
// guide of Amazon Nova 2, and the 400 answers of the API.
const FAMILIES: Families<BedrockRules> = [
  [
    /amazon\.nova-2/,
    { ...PLAIN, reasoning: 'nova', efforts: ['none', 'low', 'medium', 'high'], unlimitedEffort: 'high' },
  ],
  [/meta\.llama/, { ...PLAIN, toolChoice: 'auto' }],
  [/mistral\.mistral-large/, { ...PLAIN, toolChoice: 'unnamed' }],
];

/** An id that says nothing, such as that of an inference profile, is taken to accept everything. */
export function bedrockRules(model: string): BedrockRules {
  const claude = claudeRules(model);
  if (claude !== undefined) {
    const { cachePoints, efforts, sampling } = claude;
    return { ...PLAIN, reasoning: 'claude', efforts, sampling, cachePoints, claude };
  }
  const gpt = /(?:^|[./])openai\./.test(model) ? gptRules(model) : undefined;
  if (gpt !== undefined && gpt.efforts !== 'any')
    return { ...PLAIN, reasoning: 'gpt', efforts: gpt.efforts, sampling: gpt.sampling === 'always' ? 'all' : 'none' };
  return rulesIn(FAMILIES, model.toLowerCase()) ?? PLAIN;
}
