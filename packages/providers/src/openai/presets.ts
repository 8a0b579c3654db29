import type { ChatQuirks } from './quirks.ts';

export interface ChatPreset {
  readonly baseUrl?: string;
  readonly quirks?: ChatQuirks;
}

/** The settings of api.openai.com, under whatever name it is configured. */
export const OPENAI_QUIRKS: ChatQuirks = {
  maxTokensField: 'max_completion_tokens',
  callIds: 'max-40',
  schemaWithTools: true,
  promptCache: true,
};

/** The servers that speak chat completions, by provider name. A new one is one entry. */
const PRESETS = {
  openai: { baseUrl: 'https://api.openai.com/v1' },
  azure: { quirks: { maxTokensField: 'max_completion_tokens', callIds: 'max-40' } },
  llamacpp: {
    baseUrl: 'http://127.0.0.1:8080/v1',
    quirks: { sendStrict: false, reasoningField: 'reasoning_content' },
  },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', quirks: { sendStrict: false } },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', quirks: { sendStrict: false } },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    quirks: { sendStrict: false, maxTokensField: 'max_completion_tokens', reasoningField: 'reasoning' },
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    quirks: {
      callIds: 'alphanumeric-9',
      dialect: 'mistral',
      requiredToolChoice: 'any',
      seedField: 'random_seed',
      streamUsage: false,
    },
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    quirks: {
      sendStrict: false,
      parallelToolCalls: false,
      reasoningField: 'reasoning_content',
      responseFormat: 'object',
    },
  },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', quirks: { reasoningDetails: true } },
  together: { baseUrl: 'https://api.together.xyz/v1', quirks: { sendStrict: false } },
  xai: { baseUrl: 'https://api.x.ai/v1', quirks: { schemaWithTools: true } },
  // Ollama's chat-completions path; its own API is the wire in `ollama/`.
  ollama: { baseUrl: 'http://localhost:11434/v1', quirks: { sendStrict: false } },
} as const satisfies Readonly<Record<string, ChatPreset>>;

export type ChatPresetName = keyof typeof PRESETS;

/** Azure and Ollama have configs of their own. */
export function isChatName(name: string): boolean {
  return name !== 'azure' && name !== 'ollama' && Object.hasOwn(PRESETS, name);
}

export const CHAT_PRESETS: ReadonlyMap<string, ChatPreset> = new Map<string, ChatPreset>(Object.entries(PRESETS));
