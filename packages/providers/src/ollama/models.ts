import { type Effort, effortFor, type Families, modelName, type Notes, rulesIn } from '../wire/model-rules.ts';
import type { JsonValue } from '@kernel/protocol';

export interface OllamaRules {
  /** Lowest first. Empty: it cannot think, and a request that asks for it is refused. */
  readonly efforts: readonly Effort[];
  /** Every effort but `none` means on. */
  readonly isSwitch: boolean;
}

const LEVELS: readonly Effort[] = ['low', 'medium', 'high'];
const NEWEST: OllamaRules = { efforts: ['none', ...LEVELS], isSwitch: false };
const ON_OFF: OllamaRules = { ...NEWEST, isSwitch: true };
const NEVER: OllamaRules = { efforts: [], isSwitch: false };

/** As of November 2026. Sources: Ollama's guide "Thinking" and the capabilities that its library lists for each model. */
const FAMILIES: Families<OllamaRules> = [
  [/^gpt-oss/, { efforts: LEVELS, isSwitch: false }],
  [/^qwen3-coder(?!-next)|^qwen3[^:]*:.*instruct|^deepseek-(?:v2|v3(?!\.)|llm|coder)/, NEVER],
  [/^(?:qwen3|deepseek-(?:r1|v3\.)|magistral|glm-4|kimi-k2-thinking|nemotron|smollm3|cogito|exaone-deep|qwq)/, ON_OFF],
  [
    /^(?:llama|codellama|mistral|mixtral|ministral|devstral|codestral|gemma(?:2|3)?(?:n?:|n?$)|codegemma|qwen(?:2|:|$)|phi[34]?(?:-mini)?(?::|$)|command-r|tinyllama|starcoder|falcon|yi|vicuna|smollm2?(?::|$)|granite3\.[01]|firefunction|hermes3)/,
    NEVER,
  ],
];

export function ollamaRules(model: string): OllamaRules {
  return rulesIn(FAMILIES, modelName(model)) ?? NEWEST;
}

export function thinkValue(asked: JsonValue | undefined, model: string, notes: Notes): JsonValue | undefined {
  const { efforts, isSwitch } = ollamaRules(model);
  if (!isSwitch) {
    const effort = effortFor(asked, efforts, notes);
    return effort === 'none' ? false : effort;
  }
  if (asked === undefined || asked === 'none') return asked === undefined ? undefined : false;
  notes.sentAs(`reasoningEffort ${JSON.stringify(asked)}`, 'true', `"${model}" thinks or not, without levels`);
  return true;
}
