/** What a family of Claude models accepts. Plain data: a family that is not in the table gets the newest rules. @internal */
export interface ClaudeRules {
  /** How thinking is asked for: a number of tokens, an effort, or not at all. */
  readonly thinking: 'budget' | 'adaptive' | 'none';
  /** The efforts that the model takes, where thinking is adaptive. */
  readonly efforts: readonly string[];
  /** Whether temperature, top_p and top_k are accepted (while the model does not think). */
  readonly sampling: boolean;
  /** Whether the model may think in every request, so that a forced tool choice is refused. */
  readonly alwaysThinks: boolean;
}

const EFFORTS = ['low', 'medium', 'high'];
const NO_THINKING: ClaudeRules = { thinking: 'none', efforts: [], sampling: true, alwaysThinks: false };
const BUDGET: ClaudeRules = { ...NO_THINKING, thinking: 'budget' };
const EARLY_ADAPTIVE: ClaudeRules = { ...NO_THINKING, thinking: 'adaptive', efforts: EFFORTS };
const ADAPTIVE_ONLY: ClaudeRules = {
  thinking: 'adaptive',
  efforts: [...EFFORTS, 'xhigh', 'max'],
  sampling: false,
  alwaysThinks: false,
};
const NEWEST: ClaudeRules = { ...ADAPTIVE_ONLY, alwaysThinks: true };

/** As of November 2026. The first entry that matches counts. */
const FAMILIES: readonly (readonly [RegExp, ClaudeRules])[] = [
  [/claude-(?:2|instant|3-(?:opus|sonnet|haiku)|3-5)/, NO_THINKING],
  [/claude-3-7/, BUDGET],
  // 4, 4.1 and 4.5, with or without a date; not 4.6 and later.
  [/claude-(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d))?(?:$|[-@:]\d{8}|-latest|-v\d|@|:)/, BUDGET],
  [/claude-opus-4-6/, { ...EARLY_ADAPTIVE, efforts: [...EFFORTS, 'max'] }],
  [/claude-(?:sonnet|haiku)-4-6/, EARLY_ADAPTIVE],
  [/claude-(?:opus|sonnet|haiku)-4-(?:[7-9]|\d\d)(?!\d)/, ADAPTIVE_ONLY],
];

/** The rules of a model by its name. @internal */
export function rulesOf(model: string): ClaudeRules {
  return FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? NEWEST;
}
