/** A model that is used where nothing names one. */
export interface DefaultModel {
  /** Its name at the vendor. */
  readonly name: string;
  /** When the vendor released it. */
  readonly released: string;
  /** Where this was read. */
  readonly source: string;
}

/** The default models of one vendor, by what they do; `chat` is also used by the agent, vision and tools. */
export interface VendorModels {
  /** The newest small model. */
  readonly chat?: DefaultModel;
  /** A model for vectors. It stays when a newer one appears, whose vectors cannot be compared with those that are stored. */
  readonly embeddings?: DefaultModel;
  /** The newest model that transcribes recordings. */
  readonly audio?: DefaultModel;
}

/** When the sources were read last. `doctor` says when a vendor's own list does not have a model any more. */
export const DEFAULT_MODELS_READ = '2026-11-25';

const OPENAI_CHAT: DefaultModel = {
  name: 'gpt-6-luna',
  released: '2026-09-22',
  source: 'https://developers.openai.com/api/docs/models/gpt-6-luna',
};

/** The default models by provider name. A vendor that is not here has no small model that its documentation recommends: it needs a name. */
export const DEFAULT_MODELS: ReadonlyMap<string, VendorModels> = new Map<string, VendorModels>([
  [
    'openai',
    {
      chat: OPENAI_CHAT,
      embeddings: {
        name: 'text-embedding-3-small',
        released: '2024-01-25',
        source: 'https://openai.com/index/new-embedding-models-and-api-updates',
      },
      // The ones before it, `whisper-1` among them, are shut down on 26 February 2027.
      audio: {
        name: 'gpt-transcribe',
        released: '2026-08-26',
        source: 'https://developers.openai.com/api/docs/deprecations',
      },
    },
  ],
  ['openai-responses', { chat: OPENAI_CHAT }],
  [
    'anthropic',
    {
      chat: {
        name: 'claude-haiku-5-5',
        released: '2026-10-07',
        source: 'https://platform.claude.com/docs/en/models/haiku-5-5/overview',
      },
    },
  ],
  [
    'gemini',
    {
      chat: {
        name: 'gemini-3.5-flash-lite',
        released: '2026-07-21',
        source: 'https://deepmind.google/models/model-cards/gemini-3-5-flash-lite',
      },
      embeddings: {
        name: 'gemini-embedding-001',
        released: '2025-07-14',
        source: 'https://ai.google.dev/gemini-api/docs/embeddings',
      },
    },
  ],
  [
    'deepseek',
    // The name of the newest Flash, at that time DeepSeek-V4.1-Flash-1017.
    {
      chat: {
        name: 'deepseek-flash',
        released: '2026-10-17',
        source: 'https://api-docs.deepseek.com/quick_start/pricing',
      },
    },
  ],
]);
