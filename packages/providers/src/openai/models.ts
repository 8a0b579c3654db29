import type { JsonValue } from '@kernel/protocol';
import { type Effort, type Families, modelName, type ModelRules, rulesIn, TAKES_ALL } from '../wire/model-rules.ts';

/** Strict mode of tools is not here: OpenAI has it for every model that calls functions, so only servers differ (`sendStrict`). */
export interface GptRules extends ModelRules {
  /**
   * When Chat Completions take tools. `without-effort`: only if the request asks for no effort; `with-none`: only with the effort `none`. The Responses
   * API always takes them.
   */
  readonly chatTools: 'always' | 'without-effort' | 'with-none' | 'never';
  readonly replyFormat: 'schema' | 'object' | 'none';
  /** Chat completions refuse `max_tokens` and need the newer field. */
  readonly newMaxTokens: boolean;
}

export interface ChatModelRules extends GptRules {
  /** The fields that stand for an effort, if it is not sent as `reasoning_effort`. */
  readonly effortFields?: ReadonlyMap<JsonValue, Readonly<Record<string, JsonValue>>>;
}

const FROM_LOW: readonly Effort[] = ['low', 'medium', 'high'];
const TO_XHIGH: readonly Effort[] = [...FROM_LOW, 'xhigh'];
const TO_MAX: readonly Effort[] = [...TO_XHIGH, 'max'];

const PENALTIES = ['frequency_penalty', 'presence_penalty'];

/** Models that do not reason, and every model of another vendor: all is accepted. */
const ANY: ChatModelRules = { ...TAKES_ALL, chatTools: 'always', replyFormat: 'schema', newMaxTokens: false };
const PLAIN: GptRules = { ...ANY, efforts: [] };
const REASONING: GptRules = {
  efforts: FROM_LOW,
  reasons: true,
  sampling: 'never',
  samplingFields: ['logprobs', 'top_logprobs'],
  refused: [...PENALTIES, 'logit_bias', 'stop'],
  chatTools: 'always',
  replyFormat: 'schema',
  newMaxTokens: true,
};
const O_SERIES: GptRules = { ...REASONING, refused: [...REASONING.refused, 'parallelToolCalls'] };
const O1: GptRules = { ...O_SERIES, refused: [...PENALTIES, 'logit_bias', 'parallelToolCalls'] };
/** Reasoning can be turned off, and is off unless an effort is asked for. */
const OFF_BY_DEFAULT: GptRules = { ...REASONING, sampling: 'without-reasoning', reasons: false };
const GPT_5_4: GptRules = { ...OFF_BY_DEFAULT, efforts: ['none', ...TO_XHIGH], chatTools: 'without-effort' };
const GPT_5_5: GptRules = { ...GPT_5_4, reasons: true, chatTools: 'with-none' };
const GPT_6: GptRules = { ...GPT_5_5, efforts: ['none', ...TO_MAX] };
const NEWEST: GptRules = { ...REASONING, efforts: TO_MAX, chatTools: 'never' };
/** The rules for a name that does not tell the model, such as that of an Azure deployment: only what all of the newest models accept is sent. */
const UNNAMED: GptRules = { ...NEWEST, chatTools: 'always' };

// OpenAI's families as of November 2026. Sources: OpenAI's model pages, its guides "Reasoning models" and "Using GPT-6", its deployment
// checklist, and the 400 answers that its API gives.
const FAMILIES: Families<GptRules> = [
  [/^gpt-oss/, { ...ANY, efforts: FROM_LOW, reasons: true }],
  [/^gpt-4(?:$|-0|-32k)/, { ...PLAIN, replyFormat: 'none' }],
  [/^(?:gpt-3|gpt-4-|gpt-4o-2024-05-13)/, { ...PLAIN, replyFormat: 'object' }],
  [/^gpt-4o(?:-mini)?-search/, { ...PLAIN, sampling: 'never' }],
  [/^(?:gpt-4|chatgpt-|gpt-5-chat)/, PLAIN],
  [/^o1-(?:mini|preview)/, { ...O1, efforts: [], replyFormat: 'none' }],
  [/^o1/, O1],
  [/^o\d+-(?:mini-)?deep-research/, { ...O_SERIES, efforts: ['medium'] }],
  [/^(?:o\d|codex-mini)/, O_SERIES],
  [/^gpt-5-pro/, { ...REASONING, efforts: ['high'] }],
  [/^gpt-5-codex|^gpt-5\.1-codex(?!-max)/, REASONING],
  [/^gpt-5(?:-|$)/, { ...REASONING, efforts: ['minimal', ...FROM_LOW] }],
  [/^(?:gpt-5\.\d+-)?chat(?:-|$)/, { ...REASONING, efforts: ['medium'] }],
  [/^gpt-5\.\d+-codex/, { ...REASONING, efforts: TO_XHIGH }],
  [/^gpt-5\.\d+-pro/, { ...REASONING, efforts: ['medium', 'high', 'xhigh'] }],
  [/^gpt-5\.1(?!\d)/, { ...OFF_BY_DEFAULT, efforts: ['none', ...FROM_LOW] }],
  [/^gpt-5\.[23](?!\d)/, { ...OFF_BY_DEFAULT, efforts: ['none', ...TO_XHIGH] }],
  [/^gpt-5\.4(?!\d)/, GPT_5_4],
  [/^gpt-5\.5(?!\d)/, GPT_5_5],
  [/^gpt-5\.6(?!\d)|^gpt-6-(?:sol|luna)|^gpt-6\.1-terra/, GPT_6],
  [/^gpt-\d/, NEWEST],
];

const TO_HIGH: readonly Effort[] = ['none', ...FROM_LOW];
const NO_EFFORT: ChatModelRules = { ...ANY, efforts: [] };
const MISTRAL: ChatModelRules = { ...ANY, efforts: ['none', 'high'] };
const GROK: ChatModelRules = {
  ...ANY,
  efforts: TO_XHIGH,
  reasons: true,
  refused: [...PENALTIES, 'stop'],
};
const THINKING_ON = { reasoning_effort: 'default' };

// Other vendors' families by provider name, as of November 2026. Sources: the documentation of each vendor, and the 400 answers of its
// API. A vendor or a model that is not listed takes all: nothing is known about it.
const VENDORS: ReadonlyMap<string, Families<ChatModelRules>> = new Map<string, Families<ChatModelRules>>([
  [
    'mistral',
    [
      [/^mistral-(?:small-(?:latest|2603)|medium-(?:latest|3))/, MISTRAL],
      [/./, NO_EFFORT],
    ],
  ],
  // The server maps the efforts itself; only turning reasoning off has a field of its own.
  ['deepseek', [[/./, { ...ANY, effortFields: new Map([['none', { thinking: { type: 'disabled' } }]]) }]]],
  [
    'groq',
    [
      [
        /^qwen/,
        {
          ...ANY,
          effortFields: new Map(TO_MAX.map((effort) => [effort, THINKING_ON])),
        },
      ],
      [/^(?:llama|gemma|mixtral|kimi|allam|compound)/, NO_EFFORT],
    ],
  ],
  [
    'xai',
    [
      [/^grok-3-mini/, { ...GROK, efforts: ['low', 'high'] }],
      [/^grok-(?:2|3)|non-reasoning/, NO_EFFORT],
      [/^grok-4\.20-multi-agent/, GROK],
      [/^grok-(?:4(?:\.20|[.-]1(?!\d)|-|$)|code|build)/, { ...GROK, efforts: [] }],
      [/^grok-4\.3/, { ...GROK, efforts: TO_HIGH }],
      [/^grok-4\.5/, { ...GROK, efforts: FROM_LOW }],
      [/./, GROK],
    ],
  ],
]);

/** The servers that people run themselves, where any model can have any name. */
const OWN_SERVERS = new Set(['llamacpp', 'vllm', 'lmstudio', 'ollama']);

export const OPENAI_ORIGIN = 'https://api.openai.com';

/** Finds the model under whatever name a gateway gives it. Returns undefined for a model of another vendor. */
export function gptRules(model: string): GptRules | undefined {
  const name = modelName(model).replace(/^(?:ft:|(?:[a-z]{2,8}\.)?openai\.)/, '');
  return rulesIn(FAMILIES, name.split(':')[0] ?? name);
}

export function gptRulesAtOpenAI(model: string): GptRules {
  return gptRules(model) ?? UNNAMED;
}

/** The name of a model within the name of a deployment, such as `prod-gpt-5-mini`. */
const WITHIN = /(?<![a-z0-9])(?:gpt-|chatgpt-|o\d|codex-mini).*/i;

export interface ChatServer {
  readonly name: string;
  readonly isOpenAI: boolean;
  /** The deployment that answers, whatever model a request names. */
  readonly deployment?: string | undefined;
}

// A name of one of OpenAI's families has its rules at any address, since a gateway passes the request on. Any other name has the newest rules only
// where every model is OpenAI's: elsewhere it may be any vendor's model, so it takes all, and the server itself says what it refuses.
export function chatRules({ deployment = '', isOpenAI, name }: ChatServer, model: string): ChatModelRules {
  if (OWN_SERVERS.has(name)) return ANY;
  const deployed = WITHIN.exec(deployment)?.[0];
  const named = (deployed === undefined ? undefined : gptRules(deployed)) ?? gptRules(model);
  const known = named ?? (isOpenAI ? UNNAMED : undefined);
  if (known === undefined) return rulesIn(VENDORS.get(name) ?? [], modelName(model)) ?? ANY;
  // Chat completions end at xhigh. OpenRouter takes tools and either limit for each model.
  const efforts = known.efforts === 'any' ? known.efforts : known.efforts.filter((effort) => effort !== 'max');
  const translates = name === 'openrouter';
  return translates ? { ...known, efforts, chatTools: 'always', newMaxTokens: false } : { ...known, efforts };
}
