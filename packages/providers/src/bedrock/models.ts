import { type ClaudeRules, claudeRules } from '../anthropic/models.ts';
import { gptRules } from '../openai/models.ts';
import { type Effort, type Families, rulesIn } from '../wire/model-rules.ts';

/** How a request asks a model for an effort: as Claude does, by a field of the model's own, or not at all. @internal */
export type BedrockReasoning = 'claude' | 'nova' | 'gpt' | 'none';

/** What a family of models accepts in the Converse API. @internal */
export interface BedrockRules {
  /** How it is asked for an effort. */
  readonly reasoning: BedrockReasoning;
  /** The efforts that it takes, lowest first. */
  readonly efforts: readonly Effort[];
  /** The tool choices that it takes: all; all but a named tool; or only `auto`. */
  readonly toolChoice: 'all' | 'unnamed' | 'auto';
  /** Whether temperature and topP are accepted, while it does not reason; `one`: not both. */
  readonly sampling: ClaudeRules['sampling'];
  /** The effort beside which no limit and no sampling is accepted. */
  readonly unlimitedEffort?: Effort;
  /** Whether cache points are accepted; without, the whole request would be refused. */
  readonly cachePoints: boolean;
  /** The rules of a Claude model. */
  readonly claude?: ClaudeRules;
}

const PLAIN: BedrockRules = { reasoning: 'none', efforts: [], toolChoice: 'all', sampling: 'all', cachePoints: false };

/**
 * Families that are not Claude's or OpenAI's, as of November 2026. Sources: AWS's API reference (`ToolChoice`), "Extended thinking" in the
 * guide of Amazon Nova 2, and the 400 answers of the API.
 */
const FAMILIES: Families<BedrockRules> = [
  [
    /amazon\.nova-2/,
    { ...PLAIN, reasoning: 'nova', efforts: ['none', 'low', 'medium', 'high'], unlimitedEffort: 'high' },
  ],
  [/meta\.llama/, { ...PLAIN, toolChoice: 'auto' }],
  [/mistral\.mistral-large/, { ...PLAIN, toolChoice: 'unnamed' }],
];

/**
 * The rules of a model by its id, with or without a region before it. Claude's and OpenAI's families are those of their own APIs; a newer
 * model of them gets the newest rules. Another id, such as that of an inference profile, takes all. @internal
 */
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
