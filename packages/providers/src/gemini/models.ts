import type { JsonValue } from '@kernel/protocol';
import { type Effort, type Families, modelName, type ModelRules, rulesIn } from '../wire/model-rules.ts';

export interface GeminiRules extends ModelRules {
  /** A number of tokens by effort; absent where a level is asked for. */
  readonly budgets?: ReadonlyMap<JsonValue, number> | undefined;
  /** Gemini 3 and later take a schema beside tools, as the guide "Structured outputs" says. */
  readonly schemaWithTools?: boolean;
}

const FROM_LOW: readonly Effort[] = ['low', 'medium', 'high'];
const LEVELS: readonly Effort[] = ['minimal', ...FROM_LOW];

const PLAIN: GeminiRules = { efforts: [], reasons: false, sampling: 'always', samplingFields: [], refused: [] };
const BUDGETS: ReadonlyMap<JsonValue, number> = new Map([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
]);
const FLASH_2_5: GeminiRules = { ...PLAIN, efforts: ['none', ...LEVELS], budgets: BUDGETS };
/** Gemini 2.5 Pro always thinks, and up to a larger budget than the others. */
const PRO_2_5: GeminiRules = {
  ...PLAIN,
  efforts: [...LEVELS, 'xhigh'],
  budgets: new Map([...BUDGETS, ['minimal', 128], ['xhigh', 32_768]]),
};
const BY_LEVEL: GeminiRules = { ...PLAIN, efforts: LEVELS, reasons: true, schemaWithTools: true };
const NO_SAMPLING: GeminiRules = {
  ...BY_LEVEL,
  sampling: 'never',
  samplingFields: ['topK'],
  refused: ['frequencyPenalty', 'presencePenalty', 'candidateCount'],
};
const NEWEST: GeminiRules = { ...NO_SAMPLING, efforts: FROM_LOW };
/** The rules for a name that says nothing, such as that of a tuned model: no model refuses sampling, the newest ignore it. */
const UNNAMED: GeminiRules = { ...BY_LEVEL, efforts: FROM_LOW };

/** As of November 2026. Sources: the guides "Gemini thinking" and "What's new" of each model at ai.google.dev, and its 400 answers. */
const FAMILIES: Families<GeminiRules> = [
  [
    /^gem(?:ma|ini-(?:1|2\.0|pro$|pro-vision|robotics-er-1\.5)|ini-[\d.]+-\w+-(?:image|tts|native)|ini-embedding)|^learnlm/,
    PLAIN,
  ],
  [/^gemini-2\.5-pro/, PRO_2_5],
  [/^gemini-2\.5/, FLASH_2_5],
  [/^gemini-3-pro/, { ...BY_LEVEL, efforts: ['low', 'high'] }],
  [/^gemini-3(?:\.\d+)?-pro/, { ...BY_LEVEL, efforts: FROM_LOW }],
  [/^gemini-3\.5-flash-lite|^gemini-3\.6|^gemini-flash-lite-latest/, NO_SAMPLING],
  [/^gemini-3(?:\.[1-5])?-flash/, BY_LEVEL],
  [/^gemini/, NEWEST],
];

export function geminiRules(model: string): GeminiRules {
  return rulesIn(FAMILIES, modelName(model)) ?? UNNAMED;
}
