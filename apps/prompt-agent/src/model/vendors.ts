/** What the program knows about a vendor besides its API. */
export interface Vendor {
  /** Environment variables that may hold the key; the first that is set is used. */
  readonly keys: readonly string[];
  /** The default model for each protocol; `chat` is also used by the agent, vision and tools. */
  readonly models: { readonly chat?: string; readonly embeddings?: string; readonly audio?: string };
}

/** Vendors by provider name, in the order in which their keys are looked for. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  [
    'openai',
    {
      keys: ['OPENAI_API_KEY'],
      models: { chat: 'gpt-4o-mini', embeddings: 'text-embedding-3-small', audio: 'whisper-1' },
    },
  ],
  ['anthropic', { keys: ['ANTHROPIC_API_KEY'], models: { chat: 'claude-sonnet-4-5' } }],
  [
    'gemini',
    {
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      models: { chat: 'gemini-2.5-flash', embeddings: 'gemini-embedding-001' },
    },
  ],
  ['azure', { keys: ['AZURE_OPENAI_API_KEY'], models: {} }],
  ['openrouter', { keys: ['OPENROUTER_API_KEY'], models: {} }],
  ['groq', { keys: ['GROQ_API_KEY'], models: {} }],
  ['mistral', { keys: ['MISTRAL_API_KEY'], models: {} }],
  ['deepseek', { keys: ['DEEPSEEK_API_KEY'], models: {} }],
  ['together', { keys: ['TOGETHER_API_KEY'], models: {} }],
  ['xai', { keys: ['XAI_API_KEY'], models: {} }],
  ['bedrock', { keys: ['AWS_BEARER_TOKEN_BEDROCK'], models: {} }],
  // After `openai`, which has the same key, so it is never detected.
  ['openai-responses', { keys: ['OPENAI_API_KEY'], models: { chat: 'gpt-4o-mini' } }],
]);

/** Returns the first key that the environment has for a vendor, and the name of the variable. */
export function keyFor(
  provider: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly token: string } | undefined {
  for (const variable of VENDORS.get(provider)?.keys ?? []) {
    const token = env[variable]?.trim();
    if (token !== undefined && token !== '') return { variable, token };
  }
  return undefined;
}
