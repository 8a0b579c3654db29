interface DefaultModel {
  readonly name: string;
  readonly released: string;
  readonly source: string;
}

/** The default models of one vendor, by what they do; `chat` is also used by the agent, vision and tools. */
export interface VendorModels {
  readonly chat?: DefaultModel;
  /** A model for vectors. It stays when a newer one appears, whose vectors cannot be compared with those that are stored. */
  readonly embeddings?: DefaultModel;
  readonly audio?: DefaultModel;
}

/** When the sources were read last. `doctor` says when a vendor's own list does not have a model any more. */
export const DEFAULT_MODELS_READ = '2026-11-25';

function model(name: string, released: string, source: string): DefaultModel {
  return { name, released, source };
}

const OPENAI_CHAT = model('gpt-6-luna', '2026-09-22', 'https://developers.openai.com/api/docs/models/gpt-6-luna');

/** The default models by provider name. A vendor that is not here has no small model that its documentation recommends: it needs a name. */
export const DEFAULT_MODELS: ReadonlyMap<string, VendorModels> = new Map<string, VendorModels>([
  [
    'openai',
    {
      chat: OPENAI_CHAT,
      embeddings: model(
        'text-embedding-3-small',
        '2024-01-25',
        'https://openai.com/index/new-embedding-models-and-api-updates',
      ),
      // The ones before it, `whisper-1` among them, are shut down on 26 February 2027.
      audio: model('gpt-transcribe', '2026-08-26', 'https://developers.openai.com/api/docs/deprecations'),
    },
  ],
  ['openai-responses', { chat: OPENAI_CHAT }],
  [
    'anthropic',
    { chat: model('claude-haiku-5-5', '2026-10-07', 'https://platform.claude.com/docs/en/models/haiku-5-5/overview') },
  ],
  [
    'gemini',
    {
      chat: model(
        'gemini-3.5-flash-lite',
        '2026-07-21',
        'https://deepmind.google/models/model-cards/gemini-3-5-flash-lite',
      ),
      embeddings: model('gemini-embedding-001', '2025-07-14', 'https://ai.google.dev/gemini-api/docs/embeddings'),
    },
  ],
  // The name of the newest Flash, at that time DeepSeek-V4.1-Flash-1017.
  ['deepseek', { chat: model('deepseek-flash', '2026-10-17', 'https://api-docs.deepseek.com/quick_start/pricing') }],
]);
