import { type Effort, type Families, modelName, rulesIn } from '../wire/model-rules.ts';

export interface ClaudeRules {
  readonly thinking: 'budget' | 'adaptive' | 'none';
  /** Lowest first. */
  readonly efforts: readonly Effort[];
  /** Which of temperature, top_p and top_k are accepted while the model does not think; `one` means only one of the first two. */
  readonly sampling: 'all' | 'one' | 'none';
  readonly replySchema: boolean;
  /** Whether it thinks in a request that does not ask for it. With `always`, a forced tool choice is refused. */
  readonly thinksUnasked: 'never' | 'unless-disabled' | 'always';
  /** Whether Bedrock takes cache points for it. */
  readonly cachePoints: boolean;
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high'];
const OLDEST: ClaudeRules = {
  thinking: 'none',
  efforts: [],
  sampling: 'all',
  replySchema: false,
  thinksUnasked: 'never',
  cachePoints: false,
};
const BUDGET: ClaudeRules = {
  ...OLDEST,
  thinking: 'budget',
  efforts: ['none', 'minimal', ...EFFORTS],
  cachePoints: true,
};
const LATE_BUDGET: ClaudeRules = { ...BUDGET, sampling: 'one', replySchema: true };
const EARLY_ADAPTIVE: ClaudeRules = { ...LATE_BUDGET, thinking: 'adaptive', efforts: ['none', ...EFFORTS] };
const ADAPTIVE_ONLY: ClaudeRules = {
  ...EARLY_ADAPTIVE,
  efforts: ['none', ...EFFORTS, 'xhigh', 'max'],
  sampling: 'none',
};
const ON_BY_DEFAULT: ClaudeRules = { ...ADAPTIVE_ONLY, thinksUnasked: 'unless-disabled' };
const NEWEST: ClaudeRules = { ...ADAPTIVE_ONLY, efforts: [...EFFORTS, 'xhigh', 'max'], thinksUnasked: 'always' };
/** Models of other vendors behind the same API: nothing is refused, as far as anybody knows. */
const OTHERS: ClaudeRules = { ...BUDGET, replySchema: true, cachePoints: false };

// As of November 2026. Sources: the guides "Thinking", "Effort" and the migration guide of each model at platform.claude.com. The first entry
// that matches counts.
const FAMILIES: Families<ClaudeRules> = [
  [/claude-(?:2|v2|instant|3-(?:opus|sonnet|haiku)|3-5|v?3(?=$|[-@:]))(?!-7)/, OLDEST],
  [/claude-3-7/, BUDGET],
  [/claude-(?:(?:opus|sonnet|haiku)-4-[1-5](?!\d)|4-[1-5]-(?:opus|sonnet|haiku))/, LATE_BUDGET],
  // 4, with or without a date, in both orders of the name; not 4.6 and later.
  [/claude-(?:opus|sonnet|haiku)-4(?:-0)?(?!-\d{1,2}(?!\d))/, BUDGET],
  [/claude-4-(?:opus|sonnet|haiku)/, BUDGET],
  [/claude-(?:opus-4-6|4-6-opus)/, { ...EARLY_ADAPTIVE, efforts: ['none', ...EFFORTS, 'max'] }],
  [/claude-(?:(?:sonnet|haiku)-4-6|4-6-(?:sonnet|haiku))/, EARLY_ADAPTIVE],
  [/claude-(?:(?:opus|sonnet|haiku)-4-(?:[7-9]|\d\d)(?!\d)|4-[7-9]-(?:opus|sonnet|haiku))/, ADAPTIVE_ONLY],
  [/claude-(?:opus|sonnet)-5(?!-\d{1,2}(?!\d))/, ON_BY_DEFAULT],
  [/claude/, NEWEST],
  // Names of models of other vendors, which gateways and vendors serve through the same API.
  [
    /^(?:[a-z]{2,8}\.)?(?:kimi|moonshot|glm|chatglm|minimax|deepseek|qwen|qwq|gpt-|chatgpt|o\d(?:-|$)|gemini|gemma|grok|(?:open-)?mi[sx]tral|magistral|ministral|devstral|codestral|llama|meta|nova|amazon|mimo|doubao|seed-|step-|ernie|hunyuan|longcat|ling-|ring-|kat-|phi-|nemotron|command|cohere|jamba|granite|yi-)/,
    OTHERS,
  ],
];

/** A gateway's path and the dots of versions do not matter. */
export function rulesOf(model: string): ClaudeRules {
  return rulesIn(FAMILIES, modelName(model).replaceAll(/(?<=\d)\.(?=\d)/g, '-')) ?? NEWEST;
}

export function claudeRules(model: string): ClaudeRules | undefined {
  return /claude/i.test(model) ? rulesOf(model) : undefined;
}
