import { type ClaudeRules, claudeRules } from '../anthropic/models.ts';
import { gptRules } from '../openai/models.ts';
import { type Effort, type Families, rulesIn } from '../wire/model-rules.ts';

export type BedrockReasoning = 'claude' | 'nova' | 'gpt' | 'none';

export interface BedrockRules {
  readonly reasoning: BedrockReasoning;
  /** Lowest first. */
  readonly efforts: readonly Effort[];
  /** `unnamed`: all but a named tool. */
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

/** Another id, such as that of an inference profile, takes all. */
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
